# The conformance bot in JSON lines. docs/protocol.md says how it answers.
use strict;
use warnings;
use JSON::PP;

$| = 1;    # every line leaves at once
my $json = JSON::PP->new->canonical;
my @ranks = qw(A 2 3 4 5 6 7 8 9 10 J Q K);
my %rank  = map { $ranks[$_] => $_ + 1 } 0 .. $#ranks;
my %table;

sub choose {
    my ( $table, $view ) = @_;
    my $kind  = $view->{kind};
    my $first = $view->{playable} ? $view->{playable}[0] : undef;
    my $even  = $table->{heard} % 2 == 0;
    return { kind => $kind, cards => [ @{ $view->{playable} }[ 0 .. 2 ] ] } if $kind =~ /^(give|reveal)$/;
    if ( $kind =~ /^(lead|answer)$/ ) {
        die "I was told to fail\n" if $table->{options}{max_tiebreaks} == 7;
        select undef, undef, undef, 0.05 if $table->{options}{max_tiebreaks} == 9;
        return { kind => $kind, card => $first };
    }
    return { kind => 'draw_on', more => $even ? JSON::PP::true : JSON::PP::false } if $kind eq 'draw';
    if ( $kind eq 'lay' ) {
        my $sum = $view->{dice}[0] + $view->{dice}[1];
        return { kind => $kind, stacks => [ map { [$_] } grep { $rank{ substr $_, 0, -1 } == $sum } @{ $view->{hand} } ] };
    }
    return { kind => $kind, suits => $even ? $view->{callable} : [] } if $kind eq 'call';
    if ( $kind eq 'play' ) {
        my $up = grep { $_ eq $first } @{ $view->{face_up}[ $view->{seat} ] };
        return { kind => $kind, card => $first, face_up => $up ? JSON::PP::true : JSON::PP::false };
    }
    return dominion($view);
}

sub dominion {
    my ($view) = @_;
    my $kind = $view->{kind};
    return { kind => 'pass' }  if $kind eq 'resign' || ( $kind eq 'reinforce' && $view->{optional_army} );
    return { kind => $kind }   if $kind eq 'declare';
    return { kind => $kind, cell => $view->{cells}[0] } if $kind =~ /^(reinforce|remove)$/;
    return { kind => $kind, count => $view->{conquest}{most} } if $kind eq 'conquer';
    return $view->{ { attack => 'attacks', advance => 'advances', deploy => 'deployments' }->{$kind} }[0];
}

print $json->encode( { type => 'hello', name => 'conformance', games => [qw(serpent wichita pippip dominion)] } ), "\n";
while ( my $line = <STDIN> ) {
    my $message = $json->decode($line);
    my $key     = $message->{table};
    if ( $message->{type} eq 'start' ) {
        $table{$key} = { options => $message->{options}, heard => scalar @{ $message->{told} } };
    }
    elsif ( $message->{type} eq 'finish' ) {
        delete $table{$key};
    }
    else {
        $table{$key}{heard} += @{ $message->{events} };
        my $answer = { table => $key, number => $message->{number} };
        $answer->{action} = eval { choose( $table{$key}, $message->{view} ) };
        if ($@) {
            delete $answer->{action};
            chomp( $answer->{failed} = $@ );
        }
        print $json->encode($answer), "\n";
    }
}

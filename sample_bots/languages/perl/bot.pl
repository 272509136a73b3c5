# All games in lines: the first of the legal actions; never calls a pair in Pip-Pip!
use strict;
use warnings;
use JSON::PP;

$| = 1;    # every line leaves at once
my $json = JSON::PP->new->canonical;

sub choose {
    my ($message) = @_;
    my $view = $message->{view};
    if ( $view->{kind} eq 'call' ) {
        return { kind => 'call', suits => [] };
    }
    return $message->{legal}[0];
}

print $json->encode( { type => 'hello', name => 'perl', games => [qw(serpent wichita pippip dominion)], legal => JSON::PP::true } ), "\n";
while ( my $line = <STDIN> ) {
    my $message = $json->decode($line);
    next if $message->{type} ne 'question';
    print $json->encode(
        { table => $message->{table}, number => $message->{number}, action => choose($message) } ), "\n";
}

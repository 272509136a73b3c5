"""Sample bots for games of OpenSpiel in which nothing is hidden."""

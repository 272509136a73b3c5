"""The protobuf contract between referee, bots and organisers."""

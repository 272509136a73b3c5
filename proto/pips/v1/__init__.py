"""The contract, version 1: generated from the .proto files of this folder by the build
hook.
"""

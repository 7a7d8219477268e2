"""From a description to arrays: a `Model` comes in, a `CompiledModel` (mesh, joint rows, elimination order) goes out.

Nothing is solved here. What can only be known once all parts are put together is checked here, with the names of the
parts in the message.
"""

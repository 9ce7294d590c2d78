"""Operations as calls of compiled kernels: one function for each, found by the class of the operation.

A module of this folder is imported when a plan has an operation that it lowers (`lowering_of`): the table of ``places``
is generated.
"""

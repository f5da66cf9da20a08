; Arrays that loops make. See jit.py, SUPPORT.

declare void @Py_DecRef(ptr)
@type.ndarray = external global i8

; Give back the reference to an array (or NULL). Where nobody else has it, and it is just as a new
; one of the type would be, it is kept in the next of the slots instead.
define void @rt_spare(ptr %o, ptr %descr, i32 %nd, ptr %dims, ptr %slots, ptr %count, i64 %most) {
entry:
  %none = icmp eq ptr %o, null
  br i1 %none, label %end, label %some
some:
  %refs = load i32, ptr %o
  %alone = icmp eq i32 %refs, 1
  %n = load i64, ptr %count
  %room = icmp slt i64 %n, %most
  %a = and i1 %alone, %room
  br i1 %a, label %own, label %drop
own:
  %type.at = getelementptr i8, ptr %o, i64 8
  %type = load ptr, ptr %type.at
  %is.array = icmp eq ptr %type, @type.ndarray
  br i1 %is.array, label %array, label %drop
array:
  %nd.at = getelementptr i8, ptr %o, i64 24
  %its.nd = load i32, ptr %nd.at
  %same.nd = icmp eq i32 %its.nd, %nd
  %descr.at = getelementptr i8, ptr %o, i64 56
  %its.descr = load ptr, ptr %descr.at
  %same.descr = icmp eq ptr %its.descr, %descr
  %flags.at = getelementptr i8, ptr %o, i64 64
  %flags = load i32, ptr %flags.at
  %flags.but.fortran = and i32 %flags, -3
  %same.flags = icmp eq i32 %flags.but.fortran, 1285
  %weak.at = getelementptr i8, ptr %o, i64 72
  %weak = load ptr, ptr %weak.at
  %no.weak = icmp eq ptr %weak, null
  %b1 = and i1 %same.nd, %same.descr
  %b2 = and i1 %same.flags, %no.weak
  %b = and i1 %b1, %b2
  br i1 %b, label %shape, label %drop
shape:
  %shape.at = getelementptr i8, ptr %o, i64 32
  %shape.of = load ptr, ptr %shape.at
  %rank = sext i32 %nd to i64
  br label %next
next:
  %k = phi i64 [ 0, %shape ], [ %k1, %one ]
  %more = icmp slt i64 %k, %rank
  br i1 %more, label %one, label %keep
one:
  %m.at = getelementptr i64, ptr %shape.of, i64 %k
  %m = load i64, ptr %m.at
  %w.at = getelementptr i64, ptr %dims, i64 %k
  %w = load i64, ptr %w.at
  %k1 = add i64 %k, 1
  %equal = icmp eq i64 %m, %w
  br i1 %equal, label %next, label %drop
keep:
  %slot = getelementptr ptr, ptr %slots, i64 %n
  store ptr %o, ptr %slot
  %n1 = add i64 %n, 1
  store i64 %n1, ptr %count
  br label %end
drop:
  call void @Py_DecRef(ptr %o)
  br label %end
end:
  ret void
}

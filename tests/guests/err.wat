;; The component `err`: made from its sources by build_guests.py, not edited.
(component
(core module (;0;)
(type (;0;) (func (param i32 i32 i32) (result i32)))
(type (;1;) (func (param i32) (result i32)))
(type (;2;) (func (param i32 i32)))
(type (;3;) (func (param i32)))
(type (;4;) (func (param i32 i32) (result i32)))
(type (;5;) (func))
(type (;6;) (func (param i32 i32 i32 i32) (result i32)))
(type (;7;) (func (result i32)))
(type (;8;) (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;9;) (func (param i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;10;) (func (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;11;) (func (param i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;12;) (func (param i32 i32 i32 i32 i32) (result i32)))
(type (;13;) (func (param i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;14;) (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;15;) (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f64) (result i32)))
(table (;0;) 1 1 funcref)
(memory (;0;) 2)
(global (;0;) (mut i32) i32.const 65536)
(export "memory" (memory 0))
(export "cabi_realloc" (func 8))
(export "zeroclaw:plugin/plugin-info@0.1.0#plugin-name" (func 12))
(export "zeroclaw:plugin/plugin-info@0.1.0#plugin-version" (func 13))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#name" (func 14))
(export "zeroclaw:plugin/memory@0.1.0#name" (func 15))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (func 16))
(export "zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (func 17))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-entry" (func 18))
(export "zeroclaw:plugin/memory@0.1.0#store-entry" (func 19))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#recall" (func 20))
(export "zeroclaw:plugin/memory@0.1.0#recall" (func 21))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#get" (func 22))
(export "zeroclaw:plugin/memory@0.1.0#get" (func 23))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#list-entries" (func 24))
(export "zeroclaw:plugin/memory@0.1.0#list-entries" (func 25))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#forget" (func 26))
(export "zeroclaw:plugin/memory@0.1.0#forget" (func 27))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#forget-for-agent" (func 28))
(export "zeroclaw:plugin/memory@0.1.0#forget-for-agent" (func 29))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#count" (func 30))
(export "zeroclaw:plugin/memory@0.1.0#count" (func 31))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#health-check" (func 32))
(export "zeroclaw:plugin/memory@0.1.0#health-check" (func 33))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-agent" (func 34))
(export "zeroclaw:plugin/memory@0.1.0#store-with-agent" (func 35))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-for-agents" (func 36))
(export "zeroclaw:plugin/memory@0.1.0#recall-for-agents" (func 37))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#get-for-agent" (func 38))
(export "zeroclaw:plugin/memory@0.1.0#get-for-agent" (func 39))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-namespace" (func 40))
(export "zeroclaw:plugin/memory@0.1.0#purge-namespace" (func 41))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session" (func 42))
(export "zeroclaw:plugin/memory@0.1.0#purge-session" (func 43))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (func 44))
(export "zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (func 45))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-agent" (func 46))
(export "zeroclaw:plugin/memory@0.1.0#purge-agent" (func 47))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#reindex" (func 48))
(export "zeroclaw:plugin/memory@0.1.0#reindex" (func 49))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-procedural" (func 50))
(export "zeroclaw:plugin/memory@0.1.0#store-procedural" (func 51))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (func 52))
(export "zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (func 53))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-namespaced" (func 54))
(export "zeroclaw:plugin/memory@0.1.0#recall-namespaced" (func 55))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#export-entries" (func 56))
(export "zeroclaw:plugin/memory@0.1.0#export-entries" (func 57))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-metadata" (func 58))
(export "zeroclaw:plugin/memory@0.1.0#store-with-metadata" (func 59))
(func (;0;) (type 0) (param i32 i32 i32) (result i32)
(local i32)
block ;; label = @1
block ;; label = @2
local.get 2
i32.const 8
i32.ge_u
br_if 0 (;@2;)
local.get 0
local.set 3
br 1 (;@1;)
end
local.get 0
local.set 3
loop ;; label = @2
local.get 3
local.get 1
i64.load align=1
i64.store align=1
local.get 1
i32.const 8
i32.add
local.set 1
local.get 3
i32.const 8
i32.add
local.set 3
local.get 2
i32.const -8
i32.add
local.tee 2
i32.const 7
i32.gt_u
br_if 0 (;@2;)
end
end
block ;; label = @1
local.get 2
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
local.get 3
local.get 1
i32.load8_u
i32.store8
local.get 3
i32.const 1
i32.add
local.set 3
local.get 1
i32.const 1
i32.add
local.set 1
local.get 2
i32.const -1
i32.add
local.tee 2
br_if 0 (;@2;)
end
end
local.get 0
)
(func (;1;) (type 1) (param i32) (result i32)
(local i32 i32 i32)
block ;; label = @1
local.get 0
i32.const -268435456
i32.gt_u
br_if 0 (;@1;)
block ;; label = @2
i32.const 0
i32.load offset=65584
br_if 0 (;@2;)
memory.size
i32.const 16
i32.shl
local.tee 1
i32.const -4
i32.add
i32.const 9
i32.store
i32.const 0
local.get 1
i32.const -8
i32.add
local.tee 2
i32.store offset=65584
i32.const 66304
i32.const 7
i32.add
i32.const -8
i32.and
local.tee 1
i32.const 0
i32.store
local.get 1
local.get 2
local.get 1
i32.sub
call 2
end
block ;; label = @2
local.get 0
i32.const 15
i32.add
i32.const -8
i32.and
i32.const 16
local.get 0
select
local.tee 1
call 3
local.tee 0
br_if 0 (;@2;)
block ;; label = @3
local.get 1
i32.const 65551
i32.add
i32.const 16
i32.shr_u
local.tee 0
i32.const 16
local.get 0
i32.const 16
i32.gt_u
select
local.tee 2
memory.grow
local.tee 3
i32.const -1
i32.ne
br_if 0 (;@3;)
local.get 0
local.set 2
local.get 0
memory.grow
local.tee 3
i32.const -1
i32.eq
br_if 2 (;@1;)
end
local.get 3
i32.const 16
i32.shl
local.tee 0
local.get 2
i32.const 16
i32.shl
i32.add
local.tee 3
i32.const -4
i32.add
i32.const 9
i32.store
i32.const 0
i32.load offset=65584
local.set 2
i32.const 0
local.get 3
i32.const -8
i32.add
local.tee 3
i32.store offset=65584
block ;; label = @3
block ;; label = @4
local.get 2
i32.const 8
i32.add
local.get 0
i32.eq
br_if 0 (;@4;)
local.get 0
i32.const 0
i32.store
local.get 0
local.get 3
local.get 0
i32.sub
call 2
br 1 (;@3;)
end
local.get 2
local.get 3
local.get 2
i32.sub
call 2
end
local.get 1
call 3
local.set 0
end
local.get 0
call 4
block ;; label = @2
local.get 0
i32.load offset=4
local.tee 2
local.get 1
i32.sub
local.tee 3
i32.const 16
i32.lt_u
br_if 0 (;@2;)
local.get 0
local.get 1
i32.store offset=4
local.get 0
local.get 1
i32.add
local.tee 2
local.get 1
i32.store
local.get 2
local.get 3
i32.store offset=4
local.get 2
local.get 3
i32.const -2
i32.and
i32.add
local.get 3
i32.store
local.get 2
call 5
local.get 0
i32.load offset=4
local.set 2
end
local.get 0
local.get 2
i32.const 1
i32.or
i32.store offset=4
local.get 0
i32.const 8
i32.add
return
end
i32.const 0
)
(func (;2;) (type 2) (param i32 i32)
(local i32 i32)
local.get 0
local.get 1
i32.store offset=4
local.get 0
local.get 1
i32.const -2
i32.and
i32.add
local.set 2
block ;; label = @1
block ;; label = @2
local.get 0
i32.load
local.tee 3
i32.eqz
br_if 0 (;@2;)
local.get 0
local.get 3
i32.sub
local.tee 3
i32.load8_u offset=4
i32.const 1
i32.and
br_if 0 (;@2;)
local.get 3
call 4
local.get 3
i32.load offset=4
local.get 1
i32.add
local.set 1
br 1 (;@1;)
end
local.get 0
local.set 3
end
block ;; label = @1
local.get 2
i32.load8_u offset=4
i32.const 1
i32.and
br_if 0 (;@1;)
local.get 2
call 4
local.get 2
i32.load offset=4
local.get 1
i32.add
local.set 1
end
local.get 3
local.get 1
i32.store offset=4
local.get 3
local.get 1
i32.const -2
i32.and
i32.add
local.get 1
i32.store
local.get 3
call 5
)
(func (;3;) (type 1) (param i32) (result i32)
(local i32 i32 i32 i32)
block ;; label = @1
block ;; label = @2
local.get 0
i32.const 255
i32.gt_u
br_if 0 (;@2;)
local.get 0
i32.const 3
i32.shr_u
local.set 1
br 1 (;@1;)
end
local.get 0
i32.const 29
local.get 0
i32.clz
local.tee 2
i32.sub
i32.shr_u
i32.const 3
i32.and
local.get 2
i32.const 2
i32.shl
i32.sub
i32.const 124
i32.add
local.set 1
end
block ;; label = @1
block ;; label = @2
local.get 1
i32.const 2
i32.shl
i32.load offset=65600
local.tee 2
i32.eqz
br_if 0 (;@2;)
loop ;; label = @3
local.get 2
i32.load offset=4
local.get 0
i32.ge_u
br_if 2 (;@1;)
local.get 2
i32.load offset=8
local.tee 2
br_if 0 (;@3;)
end
end
block ;; label = @2
local.get 1
i32.const 126
i32.gt_u
br_if 0 (;@2;)
local.get 1
i32.const 1
i32.add
local.tee 2
i32.const 5
i32.shr_u
local.tee 3
i32.const 2
i32.shl
local.set 0
i32.const -1
local.get 2
i32.shl
local.set 1
i32.const 0
local.set 2
loop ;; label = @3
block ;; label = @4
local.get 0
i32.const 66112
i32.add
i32.load
i32.const -1
local.get 1
local.get 2
select
i32.and
local.tee 4
i32.eqz
br_if 0 (;@4;)
local.get 3
i32.const 7
i32.shl
local.get 4
i32.ctz
i32.const 2
i32.shl
i32.add
local.get 2
i32.add
i32.const 65600
i32.add
i32.load
return
end
local.get 2
i32.const 128
i32.add
local.set 2
local.get 0
i32.const 4
i32.add
local.tee 0
i32.const 16
i32.ne
br_if 0 (;@3;)
end
end
i32.const 0
local.set 2
end
local.get 2
)
(func (;4;) (type 3) (param i32)
(local i32 i32 i32)
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=4
local.tee 1
i32.const 255
i32.gt_u
br_if 0 (;@2;)
local.get 1
i32.const 3
i32.shr_u
local.set 2
br 1 (;@1;)
end
local.get 1
i32.const 29
local.get 1
i32.clz
local.tee 2
i32.sub
i32.shr_u
i32.const 3
i32.and
local.get 2
i32.const 2
i32.shl
i32.sub
i32.const 124
i32.add
local.set 2
end
local.get 0
i32.load offset=8
local.set 1
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=12
local.tee 3
i32.eqz
br_if 0 (;@2;)
local.get 3
local.get 1
i32.store offset=8
br 1 (;@1;)
end
local.get 2
i32.const 2
i32.shl
local.get 1
i32.store offset=65600
end
block ;; label = @1
local.get 1
i32.eqz
br_if 0 (;@1;)
local.get 1
local.get 0
i32.load offset=12
i32.store offset=12
end
block ;; label = @1
local.get 2
i32.const 2
i32.shl
i32.load offset=65600
br_if 0 (;@1;)
local.get 2
i32.const 3
i32.shr_u
i32.const 536870908
i32.and
local.tee 0
local.get 0
i32.load offset=66112
i32.const -2
local.get 2
i32.rotl
i32.and
i32.store offset=66112
end
)
(func (;5;) (type 3) (param i32)
(local i32 i32 i32)
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=4
local.tee 1
i32.const 255
i32.gt_u
br_if 0 (;@2;)
local.get 1
i32.const 3
i32.shr_u
local.set 1
br 1 (;@1;)
end
local.get 1
i32.const 29
local.get 1
i32.clz
local.tee 2
i32.sub
i32.shr_u
i32.const 3
i32.and
local.get 2
i32.const 2
i32.shl
i32.sub
i32.const 124
i32.add
local.set 1
end
local.get 0
i32.const 0
i32.store offset=12
local.get 0
local.get 1
i32.const 2
i32.shl
local.tee 3
i32.load offset=65600
local.tee 2
i32.store offset=8
local.get 3
i32.const 65600
i32.add
local.set 3
block ;; label = @1
local.get 2
i32.eqz
br_if 0 (;@1;)
local.get 2
local.get 0
i32.store offset=12
end
local.get 3
local.get 0
i32.store
local.get 1
i32.const 3
i32.shr_u
i32.const 536870908
i32.and
local.tee 0
local.get 0
i32.load offset=66112
i32.const 1
local.get 1
i32.shl
i32.or
i32.store offset=66112
)
(func (;6;) (type 4) (param i32 i32) (result i32)
(local i32 i32 i32 i32 i32 i32 i32)
block ;; label = @1
local.get 0
i32.const -268435456
i32.gt_u
br_if 0 (;@1;)
local.get 1
local.get 0
i32.add
local.tee 2
i32.const 65000
local.get 2
i32.const 65000
i32.gt_u
select
local.tee 3
i32.const 12
i32.add
local.set 4
i32.const 0
local.get 1
i32.sub
local.set 5
local.get 1
i32.const -1
i32.add
local.set 6
i32.const 0
i32.load offset=65588
local.set 2
loop ;; label = @2
block ;; label = @3
local.get 2
i32.eqz
br_if 0 (;@3;)
local.get 2
i32.load offset=4
local.tee 7
local.get 6
local.get 2
i32.const 12
i32.add
local.tee 1
i32.add
local.get 2
i32.load offset=8
i32.add
local.get 5
i32.and
local.tee 8
local.get 1
i32.sub
local.tee 1
i32.lt_u
br_if 0 (;@3;)
local.get 0
local.get 7
local.get 1
i32.sub
i32.gt_u
br_if 0 (;@3;)
local.get 2
local.get 1
local.get 0
i32.add
i32.store offset=8
local.get 8
return
end
local.get 4
call 1
local.tee 1
i32.eqz
br_if 1 (;@1;)
local.get 1
local.get 2
i32.store
local.get 1
i32.const 0
i32.store offset=8
local.get 1
local.get 3
i32.store offset=4
i32.const 0
local.get 1
i32.store offset=65588
local.get 1
local.set 2
br 0 (;@2;)
end
end
i32.const 0
)
(func (;7;) (type 5)
(local i32 i32 i32)
i32.const 0
local.set 0
block ;; label = @1
i32.const 0
i32.load offset=65588
local.tee 1
i32.eqz
br_if 0 (;@1;)
i32.const 0
local.set 0
loop ;; label = @2
local.get 1
i32.load
local.set 2
block ;; label = @3
block ;; label = @4
local.get 0
br_if 0 (;@4;)
local.get 1
i32.load offset=4
i32.const 65000
i32.ne
br_if 0 (;@4;)
local.get 1
local.set 0
br 1 (;@3;)
end
local.get 1
i32.const -8
i32.add
local.get 1
i32.const -4
i32.add
i32.load
i32.const -2
i32.and
call 2
end
i32.const 0
local.get 2
i32.store offset=65588
local.get 2
local.set 1
local.get 2
br_if 0 (;@2;)
end
block ;; label = @2
local.get 0
br_if 0 (;@2;)
i32.const 0
local.set 0
br 1 (;@1;)
end
local.get 0
i32.const 0
i32.store offset=8
local.get 0
i64.const 279172874240000
i64.store align=4
end
i32.const 0
local.get 0
i32.store offset=65588
)
(func (;8;) (type 6) (param i32 i32 i32 i32) (result i32)
block ;; label = @1
block ;; label = @2
local.get 3
i32.eqz
br_if 0 (;@2;)
local.get 3
local.get 2
call 6
local.tee 2
i32.eqz
br_if 1 (;@1;)
local.get 1
i32.eqz
br_if 0 (;@2;)
local.get 2
local.get 0
local.get 1
local.get 3
local.get 1
local.get 3
i32.lt_u
select
call 0
drop
end
local.get 2
return
end
unreachable
)
(func (;9;) (type 1) (param i32) (result i32)
i32.const 0
i32.const 1
i32.store8 offset=66128
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66132 align=4
i32.const 66128
)
(func (;10;) (type 1) (param i32) (result i32)
i32.const 0
i32.const 1
i32.store8 offset=66144
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66152
i32.const 66144
)
(func (;11;) (type 1) (param i32) (result i32)
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66296
i32.const 66296
)
(func (;12;) (type 7) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 5
i32.store offset=12
local.get 0
i32.const 65536
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 11
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;13;) (type 7) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 5
i32.store offset=12
local.get 0
i32.const 65574
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 11
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;14;) (type 3) (param i32)
call 7
)
(func (;15;) (type 7) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 5
i32.store offset=12
local.get 0
i32.const 65536
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 11
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;16;) (type 3) (param i32)
call 7
)
(func (;17;) (type 7) (result i32)
call 60
i32.const 2047
)
(func (;18;) (type 3) (param i32)
call 7
)
(func (;19;) (type 8) (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 10
global.set 0
local.get 10
i32.const 31
i32.store offset=12
local.get 10
i32.const 65542
i32.store offset=8
local.get 10
local.get 10
i64.load offset=8 align=4
i64.store
local.get 10
call 9
local.set 11
local.get 10
i32.const 16
i32.add
global.set 0
local.get 11
)
(func (;20;) (type 3) (param i32)
call 7
)
(func (;21;) (type 9) (param i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 12
global.set 0
local.get 12
i32.const 31
i32.store offset=12
local.get 12
i32.const 65542
i32.store offset=8
local.get 12
local.get 12
i64.load offset=8 align=4
i64.store
local.get 12
call 9
local.set 13
local.get 12
i32.const 16
i32.add
global.set 0
local.get 13
)
(func (;22;) (type 3) (param i32)
call 7
)
(func (;23;) (type 4) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 31
i32.store offset=12
local.get 2
i32.const 65542
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 10
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;24;) (type 3) (param i32)
call 7
)
(func (;25;) (type 10) (param i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 7
global.set 0
local.get 7
i32.const 31
i32.store offset=12
local.get 7
i32.const 65542
i32.store offset=8
local.get 7
local.get 7
i64.load offset=8 align=4
i64.store
local.get 7
call 9
local.set 8
local.get 7
i32.const 16
i32.add
global.set 0
local.get 8
)
(func (;26;) (type 3) (param i32)
call 7
)
(func (;27;) (type 4) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 31
i32.store offset=12
local.get 2
i32.const 65542
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 9
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;28;) (type 3) (param i32)
call 7
)
(func (;29;) (type 6) (param i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 4
global.set 0
local.get 4
i32.const 31
i32.store offset=12
local.get 4
i32.const 65542
i32.store offset=8
local.get 4
local.get 4
i64.load offset=8 align=4
i64.store
local.get 4
call 9
local.set 5
local.get 4
i32.const 16
i32.add
global.set 0
local.get 5
)
(func (;30;) (type 3) (param i32)
call 7
)
(func (;31;) (type 7) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 31
i32.store offset=12
local.get 0
i32.const 65542
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 10
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;32;) (type 3) (param i32)
call 7
)
(func (;33;) (type 7) (result i32)
call 61
i32.const 1
)
(func (;34;) (type 3) (param i32)
call 7
)
(func (;35;) (type 1) (param i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 1
global.set 0
local.get 1
i32.const 31
i32.store offset=12
local.get 1
i32.const 65542
i32.store offset=8
local.get 1
local.get 1
i64.load offset=8 align=4
i64.store
local.get 1
call 9
local.set 2
local.get 1
i32.const 16
i32.add
global.set 0
local.get 2
)
(func (;36;) (type 3) (param i32)
call 7
)
(func (;37;) (type 11) (param i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 15
global.set 0
local.get 15
i32.const 31
i32.store offset=12
local.get 15
i32.const 65542
i32.store offset=8
local.get 15
local.get 15
i64.load offset=8 align=4
i64.store
local.get 15
call 9
local.set 16
local.get 15
i32.const 16
i32.add
global.set 0
local.get 16
)
(func (;38;) (type 3) (param i32)
call 7
)
(func (;39;) (type 6) (param i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 4
global.set 0
local.get 4
i32.const 31
i32.store offset=12
local.get 4
i32.const 65542
i32.store offset=8
local.get 4
local.get 4
i64.load offset=8 align=4
i64.store
local.get 4
call 10
local.set 5
local.get 4
i32.const 16
i32.add
global.set 0
local.get 5
)
(func (;40;) (type 3) (param i32)
call 7
)
(func (;41;) (type 4) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 31
i32.store offset=12
local.get 2
i32.const 65542
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 10
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;42;) (type 3) (param i32)
call 7
)
(func (;43;) (type 4) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 31
i32.store offset=12
local.get 2
i32.const 65542
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 10
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;44;) (type 3) (param i32)
call 7
)
(func (;45;) (type 6) (param i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 4
global.set 0
local.get 4
i32.const 31
i32.store offset=12
local.get 4
i32.const 65542
i32.store offset=8
local.get 4
local.get 4
i64.load offset=8 align=4
i64.store
local.get 4
call 10
local.set 5
local.get 4
i32.const 16
i32.add
global.set 0
local.get 5
)
(func (;46;) (type 3) (param i32)
call 7
)
(func (;47;) (type 4) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 31
i32.store offset=12
local.get 2
i32.const 65542
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 10
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;48;) (type 3) (param i32)
call 7
)
(func (;49;) (type 7) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 31
i32.store offset=12
local.get 0
i32.const 65542
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 10
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;50;) (type 3) (param i32)
call 7
)
(func (;51;) (type 12) (param i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 5
global.set 0
local.get 5
i32.const 31
i32.store offset=12
local.get 5
i32.const 65542
i32.store offset=8
local.get 5
local.get 5
i64.load offset=8 align=4
i64.store
local.get 5
call 9
local.set 6
local.get 5
i32.const 16
i32.add
global.set 0
local.get 6
)
(func (;52;) (type 3) (param i32)
call 7
)
(func (;53;) (type 4) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 31
i32.store offset=12
local.get 2
i32.const 65542
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 9
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;54;) (type 3) (param i32)
call 7
)
(func (;55;) (type 13) (param i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 14
global.set 0
local.get 14
i32.const 31
i32.store offset=12
local.get 14
i32.const 65542
i32.store offset=8
local.get 14
local.get 14
i64.load offset=8 align=4
i64.store
local.get 14
call 9
local.set 15
local.get 14
i32.const 16
i32.add
global.set 0
local.get 15
)
(func (;56;) (type 3) (param i32)
call 7
)
(func (;57;) (type 14) (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 16
global.set 0
local.get 16
i32.const 31
i32.store offset=12
local.get 16
i32.const 65542
i32.store offset=8
local.get 16
local.get 16
i64.load offset=8 align=4
i64.store
local.get 16
call 9
local.set 17
local.get 16
i32.const 16
i32.add
global.set 0
local.get 17
)
(func (;58;) (type 3) (param i32)
call 7
)
(func (;59;) (type 15) (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f64) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 15
global.set 0
local.get 15
i32.const 31
i32.store offset=12
local.get 15
i32.const 65542
i32.store offset=8
local.get 15
local.get 15
i64.load offset=8 align=4
i64.store
local.get 15
call 9
local.set 16
local.get 15
i32.const 16
i32.add
global.set 0
local.get 16
)
(func (;60;) (type 5))
(func (;61;) (type 5))
(data (;0;) (i32.const 65536) "guest\00\1b[31mno \07luck\1b[0m\0aerror: forged\000.1.0\00")
)
(type (;0;) (variant (case "core") (case "daily") (case "conversation") (case "custom" string)))
(type (;1;) (option string))
(type (;2;) (option f64))
(type (;3;) (record (field "id" string) (field "key" string) (field "content" string) (field "category" 0) (field "timestamp" string) (field "session-id" 1) (field "score" 2) (field "namespace" string) (field "importance" 2) (field "superseded-by" 1) (field "agent-alias" 1) (field "agent-id" 1)))
(type (;4;) (option 0))
(type (;5;) (record (field "namespace" 1) (field "session-id" 1) (field "category" 4) (field "since" 1) (field "until" 1)))
(type (;6;) (record (field "role" string) (field "content" string) (field "name" 1)))
(type (;7;) (list string))
(type (;8;) (variant (case "all") (case "some" 7)))
(type (;9;) (flags "get-for-agent" "purge-namespace" "purge-session" "purge-session-for-agent" "purge-agent" "reindex" "store-procedural" "ensure-agent-uuid" "recall-namespaced" "export-entries" "store-with-metadata"))
(core instance (;0;) (instantiate 0))
(alias core export 0 "memory" (core memory (;0;)))
(type (;10;) (func (result string)))
(alias core export 0 "zeroclaw:plugin/plugin-info@0.1.0#plugin-name" (core func (;0;)))
(func (;0;) (type 10) (canon lift (core func 0) (memory 0) string-encoding=utf8))
(alias core export 0 "zeroclaw:plugin/plugin-info@0.1.0#plugin-version" (core func (;1;)))
(func (;1;) (type 10) (canon lift (core func 1) (memory 0) string-encoding=utf8))
(component (;0;)
(type (;0;) (func (result string)))
(import "import-func-plugin-name" (func (;0;) (type 0)))
(import "import-func-plugin-version" (func (;1;) (type 0)))
(type (;1;) (func (result string)))
(export (;2;) "plugin-name" (func 0) (func (type 1)))
(export (;3;) "plugin-version" (func 1) (func (type 1)))
)
(instance (;0;) (instantiate 0
(with "import-func-plugin-name" (func 0))
(with "import-func-plugin-version" (func 1))
)
)
(export (;1;) "zeroclaw:plugin/plugin-info@0.1.0" (instance 0))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#name" (core func (;2;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#name" (core func (;3;)))
(func (;2;) (type 10) (canon lift (core func 2) (memory 0) string-encoding=utf8 (post-return 3)))
(type (;11;) (func (result 9)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (core func (;4;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (core func (;5;)))
(func (;3;) (type 11) (canon lift (core func 4) (post-return 5)))
(type (;12;) (result (error string)))
(type (;13;) (func (param "key" string) (param "content" string) (param "category" 0) (param "session-id" 1) (result 12)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#store-entry" (core func (;6;)))
(alias core export 0 "cabi_realloc" (core func (;7;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-entry" (core func (;8;)))
(func (;4;) (type 13) (canon lift (core func 6) (memory 0) (realloc 7) string-encoding=utf8 (post-return 8)))
(type (;14;) (list 3))
(type (;15;) (result 14 (error string)))
(type (;16;) (func (param "query" string) (param "limit" u64) (param "session-id" 1) (param "since" 1) (param "until" 1) (result 15)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#recall" (core func (;9;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#recall" (core func (;10;)))
(func (;5;) (type 16) (canon lift (core func 9) (memory 0) (realloc 7) string-encoding=utf8 (post-return 10)))
(type (;17;) (option 3))
(type (;18;) (result 17 (error string)))
(type (;19;) (func (param "key" string) (result 18)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#get" (core func (;11;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#get" (core func (;12;)))
(func (;6;) (type 19) (canon lift (core func 11) (memory 0) (realloc 7) string-encoding=utf8 (post-return 12)))
(type (;20;) (func (param "category" 4) (param "session-id" 1) (result 15)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#list-entries" (core func (;13;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#list-entries" (core func (;14;)))
(func (;7;) (type 20) (canon lift (core func 13) (memory 0) (realloc 7) string-encoding=utf8 (post-return 14)))
(type (;21;) (result bool (error string)))
(type (;22;) (func (param "key" string) (result 21)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#forget" (core func (;15;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#forget" (core func (;16;)))
(func (;8;) (type 22) (canon lift (core func 15) (memory 0) (realloc 7) string-encoding=utf8 (post-return 16)))
(type (;23;) (func (param "key" string) (param "agent-id" string) (result 21)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#forget-for-agent" (core func (;17;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#forget-for-agent" (core func (;18;)))
(func (;9;) (type 23) (canon lift (core func 17) (memory 0) (realloc 7) string-encoding=utf8 (post-return 18)))
(type (;24;) (result u64 (error string)))
(type (;25;) (func (result 24)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#count" (core func (;19;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#count" (core func (;20;)))
(func (;10;) (type 25) (canon lift (core func 19) (memory 0) string-encoding=utf8 (post-return 20)))
(type (;26;) (func (result bool)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#health-check" (core func (;21;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#health-check" (core func (;22;)))
(func (;11;) (type 26) (canon lift (core func 21) (post-return 22)))
(type (;27;) (func (param "key" string) (param "content" string) (param "category" 0) (param "session-id" 1) (param "namespace" 1) (param "importance" 2) (param "agent-id" 1) (result 12)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#store-with-agent" (core func (;23;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-agent" (core func (;24;)))
(func (;12;) (type 27) (canon lift (core func 23) (memory 0) (realloc 7) string-encoding=utf8 (post-return 24)))
(type (;28;) (func (param "agents" 8) (param "query" string) (param "limit" u64) (param "session-id" 1) (param "since" 1) (param "until" 1) (result 15)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#recall-for-agents" (core func (;25;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-for-agents" (core func (;26;)))
(func (;13;) (type 28) (canon lift (core func 25) (memory 0) (realloc 7) string-encoding=utf8 (post-return 26)))
(type (;29;) (func (param "key" string) (param "agent-id" string) (result 18)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#get-for-agent" (core func (;27;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#get-for-agent" (core func (;28;)))
(func (;14;) (type 29) (canon lift (core func 27) (memory 0) (realloc 7) string-encoding=utf8 (post-return 28)))
(type (;30;) (func (param "namespace" string) (result 24)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#purge-namespace" (core func (;29;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-namespace" (core func (;30;)))
(func (;15;) (type 30) (canon lift (core func 29) (memory 0) (realloc 7) string-encoding=utf8 (post-return 30)))
(type (;31;) (func (param "session-id" string) (result 24)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#purge-session" (core func (;31;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session" (core func (;32;)))
(func (;16;) (type 31) (canon lift (core func 31) (memory 0) (realloc 7) string-encoding=utf8 (post-return 32)))
(type (;32;) (func (param "session-id" string) (param "agent-id" string) (result 24)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (core func (;33;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (core func (;34;)))
(func (;17;) (type 32) (canon lift (core func 33) (memory 0) (realloc 7) string-encoding=utf8 (post-return 34)))
(type (;33;) (func (param "agent-alias" string) (result 24)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#purge-agent" (core func (;35;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-agent" (core func (;36;)))
(func (;18;) (type 33) (canon lift (core func 35) (memory 0) (realloc 7) string-encoding=utf8 (post-return 36)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#reindex" (core func (;37;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#reindex" (core func (;38;)))
(func (;19;) (type 25) (canon lift (core func 37) (memory 0) string-encoding=utf8 (post-return 38)))
(type (;34;) (list 6))
(type (;35;) (func (param "messages" 34) (param "session-id" 1) (result 12)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#store-procedural" (core func (;39;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-procedural" (core func (;40;)))
(func (;20;) (type 35) (canon lift (core func 39) (memory 0) (realloc 7) string-encoding=utf8 (post-return 40)))
(type (;36;) (result string (error string)))
(type (;37;) (func (param "alias" string) (result 36)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (core func (;41;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (core func (;42;)))
(func (;21;) (type 37) (canon lift (core func 41) (memory 0) (realloc 7) string-encoding=utf8 (post-return 42)))
(type (;38;) (func (param "namespace" string) (param "query" string) (param "limit" u64) (param "session-id" 1) (param "since" 1) (param "until" 1) (result 15)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#recall-namespaced" (core func (;43;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-namespaced" (core func (;44;)))
(func (;22;) (type 38) (canon lift (core func 43) (memory 0) (realloc 7) string-encoding=utf8 (post-return 44)))
(type (;39;) (func (param "filter" 5) (result 15)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#export-entries" (core func (;45;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#export-entries" (core func (;46;)))
(func (;23;) (type 39) (canon lift (core func 45) (memory 0) (realloc 7) string-encoding=utf8 (post-return 46)))
(type (;40;) (func (param "key" string) (param "content" string) (param "category" 0) (param "session-id" 1) (param "namespace" 1) (param "importance" 2) (result 12)))
(alias core export 0 "zeroclaw:plugin/memory@0.1.0#store-with-metadata" (core func (;47;)))
(alias core export 0 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-metadata" (core func (;48;)))
(func (;24;) (type 40) (canon lift (core func 47) (memory 0) (realloc 7) string-encoding=utf8 (post-return 48)))
(component (;1;)
(type (;0;) (func (result string)))
(import "import-func-name" (func (;0;) (type 0)))
(type (;1;) (flags "get-for-agent" "purge-namespace" "purge-session" "purge-session-for-agent" "purge-agent" "reindex" "store-procedural" "ensure-agent-uuid" "recall-namespaced" "export-entries" "store-with-metadata"))
(import "import-type-memory-capabilities" (type (;2;) (eq 1)))
(type (;3;) (func (result 2)))
(import "import-func-get-memory-capabilities" (func (;1;) (type 3)))
(type (;4;) (variant (case "core") (case "daily") (case "conversation") (case "custom" string)))
(import "import-type-memory-category" (type (;5;) (eq 4)))
(type (;6;) (option string))
(type (;7;) (result (error string)))
(type (;8;) (func (param "key" string) (param "content" string) (param "category" 5) (param "session-id" 6) (result 7)))
(import "import-func-store-entry" (func (;2;) (type 8)))
(type (;9;) (option f64))
(type (;10;) (record (field "id" string) (field "key" string) (field "content" string) (field "category" 5) (field "timestamp" string) (field "session-id" 6) (field "score" 9) (field "namespace" string) (field "importance" 9) (field "superseded-by" 6) (field "agent-alias" 6) (field "agent-id" 6)))
(import "import-type-memory-entry" (type (;11;) (eq 10)))
(type (;12;) (list 11))
(type (;13;) (result 12 (error string)))
(type (;14;) (func (param "query" string) (param "limit" u64) (param "session-id" 6) (param "since" 6) (param "until" 6) (result 13)))
(import "import-func-recall" (func (;3;) (type 14)))
(type (;15;) (option 11))
(type (;16;) (result 15 (error string)))
(type (;17;) (func (param "key" string) (result 16)))
(import "import-func-get" (func (;4;) (type 17)))
(type (;18;) (option 5))
(type (;19;) (func (param "category" 18) (param "session-id" 6) (result 13)))
(import "import-func-list-entries" (func (;5;) (type 19)))
(type (;20;) (result bool (error string)))
(type (;21;) (func (param "key" string) (result 20)))
(import "import-func-forget" (func (;6;) (type 21)))
(type (;22;) (func (param "key" string) (param "agent-id" string) (result 20)))
(import "import-func-forget-for-agent" (func (;7;) (type 22)))
(type (;23;) (result u64 (error string)))
(type (;24;) (func (result 23)))
(import "import-func-count" (func (;8;) (type 24)))
(type (;25;) (func (result bool)))
(import "import-func-health-check" (func (;9;) (type 25)))
(type (;26;) (func (param "key" string) (param "content" string) (param "category" 5) (param "session-id" 6) (param "namespace" 6) (param "importance" 9) (param "agent-id" 6) (result 7)))
(import "import-func-store-with-agent" (func (;10;) (type 26)))
(type (;27;) (list string))
(type (;28;) (variant (case "all") (case "some" 27)))
(import "import-type-agent-filter" (type (;29;) (eq 28)))
(type (;30;) (func (param "agents" 29) (param "query" string) (param "limit" u64) (param "session-id" 6) (param "since" 6) (param "until" 6) (result 13)))
(import "import-func-recall-for-agents" (func (;11;) (type 30)))
(type (;31;) (func (param "key" string) (param "agent-id" string) (result 16)))
(import "import-func-get-for-agent" (func (;12;) (type 31)))
(type (;32;) (func (param "namespace" string) (result 23)))
(import "import-func-purge-namespace" (func (;13;) (type 32)))
(type (;33;) (func (param "session-id" string) (result 23)))
(import "import-func-purge-session" (func (;14;) (type 33)))
(type (;34;) (func (param "session-id" string) (param "agent-id" string) (result 23)))
(import "import-func-purge-session-for-agent" (func (;15;) (type 34)))
(type (;35;) (func (param "agent-alias" string) (result 23)))
(import "import-func-purge-agent" (func (;16;) (type 35)))
(import "import-func-reindex" (func (;17;) (type 24)))
(type (;36;) (record (field "role" string) (field "content" string) (field "name" 6)))
(import "import-type-procedural-message" (type (;37;) (eq 36)))
(type (;38;) (list 37))
(type (;39;) (func (param "messages" 38) (param "session-id" 6) (result 7)))
(import "import-func-store-procedural" (func (;18;) (type 39)))
(type (;40;) (result string (error string)))
(type (;41;) (func (param "alias" string) (result 40)))
(import "import-func-ensure-agent-uuid" (func (;19;) (type 41)))
(type (;42;) (func (param "namespace" string) (param "query" string) (param "limit" u64) (param "session-id" 6) (param "since" 6) (param "until" 6) (result 13)))
(import "import-func-recall-namespaced" (func (;20;) (type 42)))
(type (;43;) (record (field "namespace" 6) (field "session-id" 6) (field "category" 18) (field "since" 6) (field "until" 6)))
(import "import-type-export-filter" (type (;44;) (eq 43)))
(type (;45;) (func (param "filter" 44) (result 13)))
(import "import-func-export-entries" (func (;21;) (type 45)))
(type (;46;) (func (param "key" string) (param "content" string) (param "category" 5) (param "session-id" 6) (param "namespace" 6) (param "importance" 9) (result 7)))
(import "import-func-store-with-metadata" (func (;22;) (type 46)))
(type (;47;) (variant (case "core") (case "daily") (case "conversation") (case "custom" string)))
(export (;48;) "memory-category" (type 47))
(type (;49;) (option string))
(type (;50;) (option f64))
(type (;51;) (record (field "id" string) (field "key" string) (field "content" string) (field "category" 48) (field "timestamp" string) (field "session-id" 49) (field "score" 50) (field "namespace" string) (field "importance" 50) (field "superseded-by" 49) (field "agent-alias" 49) (field "agent-id" 49)))
(export (;52;) "memory-entry" (type 51))
(type (;53;) (option 48))
(type (;54;) (record (field "namespace" 49) (field "session-id" 49) (field "category" 53) (field "since" 49) (field "until" 49)))
(export (;55;) "export-filter" (type 54))
(type (;56;) (record (field "role" string) (field "content" string) (field "name" 49)))
(export (;57;) "procedural-message" (type 56))
(type (;58;) (list string))
(type (;59;) (variant (case "all") (case "some" 58)))
(export (;60;) "agent-filter" (type 59))
(type (;61;) (flags "get-for-agent" "purge-namespace" "purge-session" "purge-session-for-agent" "purge-agent" "reindex" "store-procedural" "ensure-agent-uuid" "recall-namespaced" "export-entries" "store-with-metadata"))
(export (;62;) "memory-capabilities" (type 61))
(type (;63;) (func (result string)))
(export (;23;) "name" (func 0) (func (type 63)))
(type (;64;) (func (result 62)))
(export (;24;) "get-memory-capabilities" (func 1) (func (type 64)))
(type (;65;) (result (error string)))
(type (;66;) (func (param "key" string) (param "content" string) (param "category" 48) (param "session-id" 49) (result 65)))
(export (;25;) "store-entry" (func 2) (func (type 66)))
(type (;67;) (list 52))
(type (;68;) (result 67 (error string)))
(type (;69;) (func (param "query" string) (param "limit" u64) (param "session-id" 49) (param "since" 49) (param "until" 49) (result 68)))
(export (;26;) "recall" (func 3) (func (type 69)))
(type (;70;) (option 52))
(type (;71;) (result 70 (error string)))
(type (;72;) (func (param "key" string) (result 71)))
(export (;27;) "get" (func 4) (func (type 72)))
(type (;73;) (func (param "category" 53) (param "session-id" 49) (result 68)))
(export (;28;) "list-entries" (func 5) (func (type 73)))
(type (;74;) (result bool (error string)))
(type (;75;) (func (param "key" string) (result 74)))
(export (;29;) "forget" (func 6) (func (type 75)))
(type (;76;) (func (param "key" string) (param "agent-id" string) (result 74)))
(export (;30;) "forget-for-agent" (func 7) (func (type 76)))
(type (;77;) (result u64 (error string)))
(type (;78;) (func (result 77)))
(export (;31;) "count" (func 8) (func (type 78)))
(type (;79;) (func (result bool)))
(export (;32;) "health-check" (func 9) (func (type 79)))
(type (;80;) (func (param "key" string) (param "content" string) (param "category" 48) (param "session-id" 49) (param "namespace" 49) (param "importance" 50) (param "agent-id" 49) (result 65)))
(export (;33;) "store-with-agent" (func 10) (func (type 80)))
(type (;81;) (func (param "agents" 60) (param "query" string) (param "limit" u64) (param "session-id" 49) (param "since" 49) (param "until" 49) (result 68)))
(export (;34;) "recall-for-agents" (func 11) (func (type 81)))
(type (;82;) (func (param "key" string) (param "agent-id" string) (result 71)))
(export (;35;) "get-for-agent" (func 12) (func (type 82)))
(type (;83;) (func (param "namespace" string) (result 77)))
(export (;36;) "purge-namespace" (func 13) (func (type 83)))
(type (;84;) (func (param "session-id" string) (result 77)))
(export (;37;) "purge-session" (func 14) (func (type 84)))
(type (;85;) (func (param "session-id" string) (param "agent-id" string) (result 77)))
(export (;38;) "purge-session-for-agent" (func 15) (func (type 85)))
(type (;86;) (func (param "agent-alias" string) (result 77)))
(export (;39;) "purge-agent" (func 16) (func (type 86)))
(export (;40;) "reindex" (func 17) (func (type 78)))
(type (;87;) (list 57))
(type (;88;) (func (param "messages" 87) (param "session-id" 49) (result 65)))
(export (;41;) "store-procedural" (func 18) (func (type 88)))
(type (;89;) (result string (error string)))
(type (;90;) (func (param "alias" string) (result 89)))
(export (;42;) "ensure-agent-uuid" (func 19) (func (type 90)))
(type (;91;) (func (param "namespace" string) (param "query" string) (param "limit" u64) (param "session-id" 49) (param "since" 49) (param "until" 49) (result 68)))
(export (;43;) "recall-namespaced" (func 20) (func (type 91)))
(type (;92;) (func (param "filter" 55) (result 68)))
(export (;44;) "export-entries" (func 21) (func (type 92)))
(type (;93;) (func (param "key" string) (param "content" string) (param "category" 48) (param "session-id" 49) (param "namespace" 49) (param "importance" 50) (result 65)))
(export (;45;) "store-with-metadata" (func 22) (func (type 93)))
)
(instance (;2;) (instantiate 1
(with "import-func-name" (func 2))
(with "import-func-get-memory-capabilities" (func 3))
(with "import-func-store-entry" (func 4))
(with "import-func-recall" (func 5))
(with "import-func-get" (func 6))
(with "import-func-list-entries" (func 7))
(with "import-func-forget" (func 8))
(with "import-func-forget-for-agent" (func 9))
(with "import-func-count" (func 10))
(with "import-func-health-check" (func 11))
(with "import-func-store-with-agent" (func 12))
(with "import-func-recall-for-agents" (func 13))
(with "import-func-get-for-agent" (func 14))
(with "import-func-purge-namespace" (func 15))
(with "import-func-purge-session" (func 16))
(with "import-func-purge-session-for-agent" (func 17))
(with "import-func-purge-agent" (func 18))
(with "import-func-reindex" (func 19))
(with "import-func-store-procedural" (func 20))
(with "import-func-ensure-agent-uuid" (func 21))
(with "import-func-recall-namespaced" (func 22))
(with "import-func-export-entries" (func 23))
(with "import-func-store-with-metadata" (func 24))
(with "import-type-memory-capabilities" (type 9))
(with "import-type-memory-category" (type 0))
(with "import-type-memory-entry" (type 3))
(with "import-type-agent-filter" (type 8))
(with "import-type-procedural-message" (type 6))
(with "import-type-export-filter" (type 5))
)
)
(export (;3;) "zeroclaw:plugin/memory@0.1.0" (instance 2))
)

;; The component `hostile`: made from its sources by build_guests.py, not edited.
(component
(type (;0;)
(instance
(type (;0;) string)
(export (;1;) "json-string" (type (eq 0)))
)
)
(import "zeroclaw:plugin/types@0.1.0" (instance (;0;) (type 0)))
(alias export 0 "json-string" (type (;1;)))
(type (;2;)
(instance
(type (;0;) (enum "trace" "debug" "info" "warn" "error"))
(export (;1;) "log-level" (type (eq 0)))
(type (;2;) (enum "start" "complete" "fail" "cancel" "skip" "timeout" "retry" "inbound" "outbound" "send" "receive" "connect" "disconnect" "reconnect" "spawn" "kill" "tick" "trigger" "schedule" "approve" "reject" "defer" "read" "write" "delete" "list-action" "query" "invoke" "dispatch" "resolve" "register" "unregister" "load" "save" "migrate" "validate" "note" "memory-audit"))
(export (;3;) "plugin-action" (type (eq 2)))
(type (;4;) (enum "success" "failure"))
(export (;5;) "plugin-outcome" (type (eq 4)))
(alias outer 1 1 (type (;6;)))
(export (;7;) "json-string" (type (eq 6)))
(type (;8;) (option 5))
(type (;9;) (option u64))
(type (;10;) (option 7))
(type (;11;) (record (field "function-name" string) (field "action" 3) (field "outcome" 8) (field "duration-ms" 9) (field "attrs" 10) (field "message" string)))
(export (;12;) "plugin-event" (type (eq 11)))
(type (;13;) (func (param "level" 1) (param "event" 12)))
(export (;0;) "log-record" (func (type 13)))
)
)
(import "zeroclaw:plugin/logging@0.1.0" (instance (;1;) (type 2)))
(core module (;0;)
(type (;0;) (func (param i32) (result i32)))
(type (;1;) (func (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(type (;2;) (func (param i32 i32 i32) (result i32)))
(type (;3;) (func (param i32 i32) (result i32)))
(type (;4;) (func (param i32 i64 i32) (result i32)))
(type (;5;) (func (param i32 i32)))
(type (;6;) (func (param i32)))
(type (;7;) (func))
(type (;8;) (func (param i32 i32 i32 i32) (result i32)))
(type (;9;) (func (result i32)))
(type (;10;) (func (param i64) (result i32)))
(type (;11;) (func (param i32 i32 i32)))
(type (;12;) (func (param i32 i32 i32 i32)))
(type (;13;) (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;14;) (func (param i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;15;) (func (param i32 i32 i64 i32 i32 i32) (result i32)))
(type (;16;) (func (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;17;) (func (param i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;18;) (func (param i32 i32 i32 i32 i32) (result i32)))
(type (;19;) (func (param i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;20;) (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;21;) (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f64) (result i32)))
(type (;22;) (func (param i64 i32) (result i32)))
(import "zeroclaw:plugin/logging@0.1.0" "log-record" (func (;0;) (type 1) (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(table (;0;) 2 2 funcref)
(memory (;0;) 2)
(global (;0;) (mut i32) i32.const 65536)
(export "memory" (memory 0))
(export "cabi_realloc" (func 15))
(export "zeroclaw:plugin/plugin-info@0.1.0#plugin-name" (func 32))
(export "zeroclaw:plugin/plugin-info@0.1.0#plugin-version" (func 33))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#name" (func 34))
(export "zeroclaw:plugin/memory@0.1.0#name" (func 35))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (func 36))
(export "zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (func 37))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-entry" (func 38))
(export "zeroclaw:plugin/memory@0.1.0#store-entry" (func 39))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#recall" (func 42))
(export "zeroclaw:plugin/memory@0.1.0#recall" (func 43))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#get" (func 46))
(export "zeroclaw:plugin/memory@0.1.0#get" (func 47))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#list-entries" (func 48))
(export "zeroclaw:plugin/memory@0.1.0#list-entries" (func 49))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#forget" (func 50))
(export "zeroclaw:plugin/memory@0.1.0#forget" (func 51))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#forget-for-agent" (func 52))
(export "zeroclaw:plugin/memory@0.1.0#forget-for-agent" (func 53))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#count" (func 54))
(export "zeroclaw:plugin/memory@0.1.0#count" (func 55))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#health-check" (func 56))
(export "zeroclaw:plugin/memory@0.1.0#health-check" (func 57))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-agent" (func 58))
(export "zeroclaw:plugin/memory@0.1.0#store-with-agent" (func 59))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-for-agents" (func 60))
(export "zeroclaw:plugin/memory@0.1.0#recall-for-agents" (func 61))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#get-for-agent" (func 62))
(export "zeroclaw:plugin/memory@0.1.0#get-for-agent" (func 63))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-namespace" (func 64))
(export "zeroclaw:plugin/memory@0.1.0#purge-namespace" (func 65))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session" (func 66))
(export "zeroclaw:plugin/memory@0.1.0#purge-session" (func 67))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (func 68))
(export "zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (func 69))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-agent" (func 70))
(export "zeroclaw:plugin/memory@0.1.0#purge-agent" (func 71))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#reindex" (func 72))
(export "zeroclaw:plugin/memory@0.1.0#reindex" (func 73))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-procedural" (func 74))
(export "zeroclaw:plugin/memory@0.1.0#store-procedural" (func 75))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (func 76))
(export "zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (func 77))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-namespaced" (func 78))
(export "zeroclaw:plugin/memory@0.1.0#recall-namespaced" (func 79))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#export-entries" (func 80))
(export "zeroclaw:plugin/memory@0.1.0#export-entries" (func 81))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-metadata" (func 82))
(export "zeroclaw:plugin/memory@0.1.0#store-with-metadata" (func 83))
(export "_initialize" (func 84))
(elem (;0;) (i32.const 1) func 93)
(func (;1;) (type 2) (param i32 i32 i32) (result i32)
(local i32 i64)
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
local.get 1
i32.const 255
i32.and
i64.extend_i32_u
i64.const 72340172838076673
i64.mul
local.set 4
local.get 0
local.set 3
loop ;; label = @2
local.get 3
local.get 4
i64.store align=1
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
i32.store8
local.get 3
i32.const 1
i32.add
local.set 3
local.get 2
i32.const -1
i32.add
local.tee 2
br_if 0 (;@2;)
end
end
local.get 0
)
(func (;2;) (type 2) (param i32 i32 i32) (result i32)
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
(func (;3;) (type 3) (param i32 i32) (result i32)
(local i32 i32)
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=4
local.tee 2
local.get 1
i32.load offset=4
i32.ne
br_if 0 (;@2;)
block ;; label = @3
local.get 2
br_if 0 (;@3;)
i32.const 1
return
end
local.get 1
i32.load
local.set 1
local.get 0
i32.load
local.set 0
loop ;; label = @3
local.get 0
i32.load8_u
local.get 1
i32.load8_u
i32.ne
br_if 1 (;@2;)
i32.const 1
local.set 3
local.get 0
i32.const 1
i32.add
local.set 0
local.get 1
i32.const 1
i32.add
local.set 1
local.get 2
i32.const -1
i32.add
local.tee 2
i32.eqz
br_if 2 (;@1;)
br 0 (;@3;)
end
end
i32.const 0
local.set 3
end
local.get 3
)
(func (;4;) (type 3) (param i32 i32) (result i32)
(local i32 i32)
local.get 1
i32.load8_u
local.set 2
block ;; label = @1
block ;; label = @2
local.get 0
i32.load8_u
local.tee 3
i32.eqz
br_if 0 (;@2;)
local.get 2
i32.const 255
i32.and
br_if 1 (;@1;)
end
local.get 3
local.get 2
i32.const 255
i32.and
i32.eq
return
end
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=8
local.tee 2
local.get 1
i32.load offset=8
i32.ne
br_if 0 (;@2;)
block ;; label = @3
local.get 2
br_if 0 (;@3;)
i32.const 1
return
end
local.get 1
i32.load offset=4
local.set 1
local.get 0
i32.load offset=4
local.set 0
loop ;; label = @3
local.get 0
i32.load8_u
local.get 1
i32.load8_u
i32.ne
br_if 1 (;@2;)
i32.const 1
local.set 3
local.get 0
i32.const 1
i32.add
local.set 0
local.get 1
i32.const 1
i32.add
local.set 1
local.get 2
i32.const -1
i32.add
local.tee 2
i32.eqz
br_if 2 (;@1;)
br 0 (;@3;)
end
end
i32.const 0
local.set 3
end
local.get 3
)
(func (;5;) (type 3) (param i32 i32) (result i32)
(local i32 i32 i32)
local.get 1
i32.load
local.set 2
block ;; label = @1
block ;; label = @2
local.get 1
i32.load offset=4
local.tee 3
i32.const 8
i32.ge_u
br_if 0 (;@2;)
local.get 0
local.set 1
local.get 3
local.set 4
br 1 (;@1;)
end
local.get 3
local.set 4
local.get 0
local.set 1
loop ;; label = @2
local.get 1
local.get 2
i64.load align=1
i64.store align=1
local.get 2
i32.const 8
i32.add
local.set 2
local.get 1
i32.const 8
i32.add
local.set 1
local.get 4
i32.const -8
i32.add
local.tee 4
i32.const 7
i32.gt_u
br_if 0 (;@2;)
end
end
block ;; label = @1
local.get 4
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
local.get 1
local.get 2
i32.load8_u
i32.store8
local.get 1
i32.const 1
i32.add
local.set 1
local.get 2
i32.const 1
i32.add
local.set 2
local.get 4
i32.const -1
i32.add
local.tee 4
br_if 0 (;@2;)
end
end
local.get 0
local.get 3
i32.add
)
(func (;6;) (type 4) (param i32 i64 i32) (result i32)
(local i32 i32 i64 i32)
global.get 0
i32.const 32
i32.sub
local.set 3
i32.const 0
local.set 4
loop ;; label = @1
local.get 3
local.get 4
i32.add
local.get 1
local.get 1
i64.const 10
i64.div_u
local.tee 5
i64.const 10
i64.mul
i64.sub
i32.wrap_i64
i32.const 48
i32.or
i32.store8
local.get 4
i32.const 1
i32.add
local.set 4
local.get 1
i64.const 9
i64.gt_u
local.set 6
local.get 5
local.set 1
local.get 6
br_if 0 (;@1;)
end
block ;; label = @1
local.get 2
local.get 4
i32.le_u
br_if 0 (;@1;)
loop ;; label = @2
local.get 0
i32.const 48
i32.store8
local.get 0
i32.const 1
i32.add
local.set 0
local.get 2
i32.const -1
i32.add
local.tee 2
local.get 4
i32.gt_u
br_if 0 (;@2;)
end
end
block ;; label = @1
local.get 4
i32.eqz
br_if 0 (;@1;)
local.get 3
i32.const -1
i32.add
local.set 6
loop ;; label = @2
local.get 0
local.get 6
local.get 4
i32.add
i32.load8_u
i32.store8
local.get 0
i32.const 1
i32.add
local.set 0
local.get 4
i32.const -1
i32.add
local.tee 4
br_if 0 (;@2;)
end
end
local.get 0
)
(func (;7;) (type 0) (param i32) (result i32)
(local i32 i32 i32)
block ;; label = @1
local.get 0
i32.const -268435456
i32.gt_u
br_if 0 (;@1;)
block ;; label = @2
i32.const 0
i32.load offset=66304
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
i32.store offset=66304
i32.const 67072
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
call 8
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
call 9
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
i32.load offset=66304
local.set 2
i32.const 0
local.get 3
i32.const -8
i32.add
local.tee 3
i32.store offset=66304
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
call 8
br 1 (;@3;)
end
local.get 2
local.get 3
local.get 2
i32.sub
call 8
end
local.get 1
call 9
local.set 0
end
local.get 0
call 10
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
call 11
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
(func (;8;) (type 5) (param i32 i32)
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
call 10
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
call 10
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
call 11
)
(func (;9;) (type 0) (param i32) (result i32)
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
i32.load offset=66320
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
i32.const 66832
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
i32.const 66320
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
(func (;10;) (type 6) (param i32)
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
i32.store offset=66320
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
i32.load offset=66320
br_if 0 (;@1;)
local.get 2
i32.const 3
i32.shr_u
i32.const 536870908
i32.and
local.tee 0
local.get 0
i32.load offset=66832
i32.const -2
local.get 2
i32.rotl
i32.and
i32.store offset=66832
end
)
(func (;11;) (type 6) (param i32)
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
i32.load offset=66320
local.tee 2
i32.store offset=8
local.get 3
i32.const 66320
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
i32.load offset=66832
i32.const 1
local.get 1
i32.shl
i32.or
i32.store offset=66832
)
(func (;12;) (type 6) (param i32)
block ;; label = @1
local.get 0
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const -8
i32.add
local.get 0
i32.const -4
i32.add
i32.load
i32.const -2
i32.and
call 8
end
)
(func (;13;) (type 3) (param i32 i32) (result i32)
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
i32.load offset=66308
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
call 7
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
i32.store offset=66308
local.get 1
local.set 2
br 0 (;@2;)
end
end
i32.const 0
)
(func (;14;) (type 7)
(local i32 i32 i32)
i32.const 0
local.set 0
block ;; label = @1
i32.const 0
i32.load offset=66308
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
call 8
end
i32.const 0
local.get 2
i32.store offset=66308
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
i32.store offset=66308
)
(func (;15;) (type 8) (param i32 i32 i32 i32) (result i32)
block ;; label = @1
block ;; label = @2
local.get 3
i32.eqz
br_if 0 (;@2;)
local.get 3
local.get 2
call 13
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
call 2
drop
end
local.get 2
return
end
unreachable
)
(func (;16;) (type 9) (result i32)
i32.const 0
i32.const 0
i32.store8 offset=66848
i32.const 66848
)
(func (;17;) (type 0) (param i32) (result i32)
i32.const 0
local.get 0
i32.const 0
i32.ne
i32.store8 offset=66852
i32.const 0
i32.const 0
i32.store8 offset=66848
i32.const 66848
)
(func (;18;) (type 0) (param i32) (result i32)
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66852 align=4
i32.const 0
i32.const 0
i32.store8 offset=66848
i32.const 66848
)
(func (;19;) (type 10) (param i64) (result i32)
i32.const 0
local.get 0
i64.store offset=66872
i32.const 0
i32.const 0
i32.store8 offset=66864
i32.const 66864
)
(func (;20;) (type 0) (param i32) (result i32)
i32.const 0
local.get 0
i32.const 0
i32.ne
i32.store8 offset=66872
i32.const 0
i32.const 0
i32.store8 offset=66864
block ;; label = @1
local.get 0
i32.eqz
br_if 0 (;@1;)
i32.const 66880
local.get 0
i32.const 136
memory.copy
end
i32.const 66864
)
(func (;21;) (type 0) (param i32) (result i32)
i32.const 0
i32.const 1
i32.store8 offset=66848
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66852 align=4
i32.const 66848
)
(func (;22;) (type 0) (param i32) (result i32)
i32.const 0
i32.const 1
i32.store8 offset=66864
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66872
i32.const 66864
)
(func (;23;) (type 0) (param i32) (result i32)
i32.const 0
local.get 0
i64.load align=4
i64.store offset=67016
i32.const 67016
)
(func (;24;) (type 6) (param i32)
(local i64)
local.get 0
i64.const 0
i64.store offset=8
local.get 0
i32.const 0
i64.load offset=67024
local.tee 1
i64.const 1767225600
i64.add
i64.store
i32.const 0
local.get 1
i64.const 1
i64.add
i64.store offset=67024
)
(func (;25;) (type 3) (param i32 i32) (result i32)
(local i64 i64)
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 0
i64.load
local.tee 2
local.get 1
i64.load
local.tee 3
i64.eq
br_if 0 (;@3;)
local.get 2
local.get 3
i64.lt_s
br_if 1 (;@2;)
br 2 (;@1;)
end
local.get 0
i32.load offset=8
local.get 1
i32.load offset=8
i32.gt_u
br_if 1 (;@1;)
end
local.get 1
i32.load offset=8
local.get 0
i32.load offset=24
i32.le_u
local.get 3
local.get 0
i64.load offset=16
local.tee 2
i64.lt_s
local.get 3
local.get 2
i64.eq
select
return
end
i32.const 0
)
(func (;26;) (type 5) (param i32 i32)
(local i64 i64 i32 i32 i32 i32)
local.get 0
local.get 1
i64.load
local.tee 2
i64.const 86400
i64.div_s
local.tee 3
i32.wrap_i64
i32.const 719468
i32.add
local.tee 4
local.get 4
i32.const 146097
i32.div_u
local.tee 5
i32.const 146097
i32.mul
i32.sub
local.tee 4
i32.const 36524
i32.div_u
local.get 4
i32.add
local.get 4
i32.const 1460
i32.div_u
i32.sub
local.get 4
i32.const 146095
i32.gt_u
i32.sub
local.tee 6
i32.const 365
i32.div_u
local.tee 7
local.get 5
i32.const 400
i32.mul
i32.add
i32.const 3
i32.const -9
local.get 4
local.get 6
i32.const 1460
i32.div_u
i32.sub
local.get 6
i32.const 36500
i32.div_u
i32.add
local.get 7
i32.const -365
i32.mul
i32.add
local.tee 4
i32.const 5
i32.mul
i32.const 2
i32.add
local.tee 6
i32.const 1530
i32.lt_u
select
local.get 6
i32.const 153
i32.div_u
local.tee 6
i32.add
local.tee 5
i32.const 3
i32.lt_u
i32.add
i64.extend_i32_u
i32.const 4
call 6
local.tee 0
i32.const 45
i32.store8
local.get 0
i32.const 1
i32.add
local.get 5
i64.extend_i32_u
i32.const 2
call 6
local.tee 0
i32.const 45
i32.store8
local.get 0
i32.const 1
i32.add
local.get 4
local.get 6
i32.const 153
i32.mul
i32.const 2
i32.add
i32.const 5
i32.div_u
i32.sub
i32.const 1
i32.add
i64.extend_i32_u
i32.const 2
call 6
local.tee 4
i32.const 84
i32.store8
local.get 4
i32.const 1
i32.add
local.get 2
local.get 3
i64.const 86400
i64.mul
i64.sub
i32.wrap_i64
local.tee 4
i32.const 3600
i32.div_u
i64.extend_i32_u
i32.const 2
call 6
local.tee 6
i32.const 58
i32.store8
local.get 6
i32.const 1
i32.add
local.get 4
i32.const 60
i32.div_u
local.tee 6
i32.const 60
i32.rem_u
i64.extend_i32_u
i32.const 2
call 6
local.tee 0
i32.const 58
i32.store8
local.get 0
i32.const 1
i32.add
local.get 4
local.get 6
i32.const 60
i32.mul
i32.sub
i64.extend_i32_u
i32.const 2
call 6
local.tee 4
i32.const 46
i32.store8
local.get 4
i32.const 1
i32.add
local.get 1
i64.load32_u offset=8
i32.const 9
call 6
i32.const 90
i32.store8
)
(func (;27;) (type 8) (param i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 80
i32.sub
local.tee 4
global.set 0
local.get 0
i64.const 0
i64.store offset=24
local.get 0
i64.const 9223372036854775807
i64.store offset=16
local.get 0
i64.const 0
i64.store offset=8
local.get 0
i64.const -9223372036854775807
i64.store
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 1
i32.load8_u
i32.eqz
br_if 0 (;@3;)
local.get 4
local.get 1
i64.load offset=4 align=4
i64.store offset=48
local.get 4
i32.const 48
i32.add
i32.const 1
local.get 0
call 28
br_if 0 (;@3;)
local.get 4
i32.const 5
i32.store offset=68
local.get 4
i32.const 65921
i32.store offset=64
local.get 4
local.get 4
i64.load offset=64 align=4
i64.store offset=40
local.get 4
local.get 1
i32.const 4
i32.add
i64.load align=4
i64.store offset=32
local.get 4
i32.const 72
i32.add
local.get 4
i32.const 40
i32.add
local.get 4
i32.const 32
i32.add
call 29
local.get 3
local.get 4
i64.load offset=72
i64.store align=4
br 1 (;@2;)
end
i32.const 1
local.set 1
local.get 2
i32.load8_u
i32.eqz
br_if 1 (;@1;)
local.get 4
local.get 2
i64.load offset=4 align=4
i64.store offset=24
local.get 4
i32.const 24
i32.add
i32.const 0
local.get 0
i32.const 16
i32.add
call 28
br_if 1 (;@1;)
local.get 4
i32.const 5
i32.store offset=60
local.get 4
i32.const 65796
i32.store offset=56
local.get 4
local.get 4
i64.load offset=56 align=4
i64.store offset=16
local.get 4
local.get 2
i32.const 4
i32.add
i64.load align=4
i64.store offset=8
local.get 4
i32.const 72
i32.add
local.get 4
i32.const 16
i32.add
local.get 4
i32.const 8
i32.add
call 29
local.get 3
local.get 4
i64.load offset=72
i64.store align=4
end
i32.const 0
local.set 1
end
local.get 4
i32.const 80
i32.add
global.set 0
local.get 1
)
(func (;28;) (type 2) (param i32 i32 i32) (result i32)
(local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i64 i64)
local.get 0
i32.load
local.tee 3
i32.const 4
i32.add
local.set 4
local.get 3
local.get 0
i32.load offset=4
local.tee 5
i32.add
local.set 6
i32.const 0
local.set 0
i32.const 1
local.set 7
i32.const 0
local.set 8
block ;; label = @1
block ;; label = @2
block ;; label = @3
block ;; label = @4
block ;; label = @5
loop ;; label = @6
block ;; label = @7
local.get 5
local.get 0
i32.ne
br_if 0 (;@7;)
i32.const 0
local.set 8
br 4 (;@3;)
end
local.get 3
local.get 0
i32.add
local.tee 9
i32.load8_u
local.tee 10
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.lt_u
br_if 1 (;@5;)
local.get 8
i32.const 10
i32.mul
local.get 10
i32.add
i32.const -48
i32.add
local.set 8
local.get 0
i32.const 1
i32.add
local.tee 0
i32.const 4
i32.ne
br_if 0 (;@6;)
end
i32.const 0
local.set 0
br 1 (;@4;)
end
i32.const 0
local.set 8
i32.const 1
local.set 0
local.get 9
local.set 4
end
local.get 4
local.get 6
i32.ne
br_if 1 (;@2;)
end
local.get 6
local.set 0
br 1 (;@1;)
end
local.get 0
i32.const 1
local.get 4
i32.load8_u
i32.const 45
i32.eq
local.tee 10
select
local.set 7
local.get 4
local.get 10
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 9
i32.const 0
local.set 11
i32.const 0
local.set 10
i32.const 0
local.set 3
block ;; label = @1
loop ;; label = @2
i32.const 1
local.set 4
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 7
local.get 6
local.set 0
br 2 (;@1;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 5
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@3;)
i32.const 1
local.set 7
br 2 (;@1;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 10
i32.const 10
i32.mul
local.get 5
i32.add
i32.const -48
i32.add
local.set 10
local.get 3
i32.const 1
i32.and
local.set 5
i32.const 1
local.set 3
local.get 5
i32.eqz
br_if 0 (;@2;)
end
local.get 9
local.set 0
local.get 10
local.set 11
end
local.get 6
local.set 10
block ;; label = @1
local.get 0
local.get 6
i32.eq
br_if 0 (;@1;)
local.get 7
i32.const 1
local.get 0
i32.load8_u
i32.const 45
i32.eq
local.tee 10
select
local.set 4
local.get 0
local.get 10
i32.add
local.set 10
end
local.get 10
i32.const 2
i32.add
local.set 0
i32.const 0
local.set 3
i32.const 0
local.set 5
block ;; label = @1
block ;; label = @2
loop ;; label = @3
block ;; label = @4
local.get 10
local.get 6
i32.ne
br_if 0 (;@4;)
local.get 6
local.set 0
br 2 (;@2;)
end
block ;; label = @4
local.get 10
i32.load8_u
local.tee 9
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@4;)
local.get 10
local.set 0
br 2 (;@2;)
end
local.get 10
i32.const 1
i32.add
local.set 10
local.get 3
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 3
local.get 5
i32.const 1
i32.and
local.set 9
i32.const 1
local.set 5
local.get 9
i32.eqz
br_if 0 (;@3;)
end
i32.const 1
local.set 12
local.get 11
i32.const -1
i32.add
i32.const 11
i32.gt_u
br_if 1 (;@1;)
local.get 3
i32.eqz
br_if 1 (;@1;)
block ;; label = @3
block ;; label = @4
local.get 11
i32.const 2
i32.ne
br_if 0 (;@4;)
block ;; label = @5
local.get 8
i32.const 3
i32.and
i32.eqz
br_if 0 (;@5;)
i32.const 28
local.set 10
br 2 (;@3;)
end
block ;; label = @5
local.get 8
i32.const 100
i32.rem_u
i32.eqz
br_if 0 (;@5;)
i32.const 29
local.set 10
br 2 (;@3;)
end
i32.const 28
i32.const 29
local.get 8
i32.const 400
i32.rem_u
select
local.set 10
br 1 (;@3;)
end
i32.const 30
i32.const 30
i32.const 31
local.get 11
i32.const 13
i32.and
local.tee 10
i32.const 9
i32.eq
select
local.get 10
i32.const 4
i32.eq
select
local.set 10
end
i32.const 1
local.get 4
local.get 3
local.get 10
i32.gt_u
select
local.set 12
br 1 (;@1;)
end
i32.const 0
local.set 3
i32.const 1
local.set 12
end
block ;; label = @1
block ;; label = @2
local.get 0
local.get 6
i32.ne
br_if 0 (;@2;)
i32.const 1
local.set 12
br 1 (;@1;)
end
block ;; label = @2
local.get 0
i32.load8_u
i32.const 32
i32.ne
br_if 0 (;@2;)
local.get 0
i32.const 1
i32.add
local.set 0
br 1 (;@1;)
end
local.get 12
i32.const 1
local.get 0
i32.load8_u
i32.const 223
i32.and
i32.const 84
i32.eq
local.tee 10
select
local.set 12
local.get 0
local.get 10
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 4
i32.const 0
local.set 13
i32.const 0
local.set 10
i32.const 0
local.set 5
block ;; label = @1
loop ;; label = @2
i32.const 1
local.set 7
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 12
local.get 6
local.set 0
br 2 (;@1;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 9
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@3;)
i32.const 1
local.set 12
br 2 (;@1;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 10
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 10
local.get 5
i32.const 1
i32.and
local.set 9
i32.const 1
local.set 5
local.get 9
i32.eqz
br_if 0 (;@2;)
end
local.get 4
local.set 0
local.get 10
local.set 13
end
block ;; label = @1
local.get 0
local.get 6
i32.eq
br_if 0 (;@1;)
local.get 12
i32.const 1
local.get 0
i32.load8_u
i32.const 58
i32.eq
local.tee 10
select
local.set 7
local.get 0
local.get 10
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 14
i32.const 0
local.set 12
i32.const 0
local.set 10
i32.const 0
local.set 5
block ;; label = @1
loop ;; label = @2
i32.const 1
local.set 4
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 7
local.get 6
local.set 0
br 2 (;@1;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 9
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@3;)
i32.const 1
local.set 7
br 2 (;@1;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 10
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 10
local.get 5
i32.const 1
i32.and
local.set 9
i32.const 1
local.set 5
local.get 9
i32.eqz
br_if 0 (;@2;)
end
local.get 14
local.set 0
local.get 10
local.set 12
end
block ;; label = @1
local.get 0
local.get 6
i32.eq
br_if 0 (;@1;)
local.get 7
i32.const 1
local.get 0
i32.load8_u
i32.const 58
i32.eq
local.tee 10
select
local.set 4
local.get 0
local.get 10
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 7
i32.const 0
local.set 14
i32.const 0
local.set 10
i32.const 0
local.set 5
block ;; label = @1
loop ;; label = @2
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 4
local.get 6
local.set 0
br 2 (;@1;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 9
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@3;)
i32.const 1
local.set 4
br 2 (;@1;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 10
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 10
local.get 5
i32.const 1
i32.and
local.set 9
i32.const 1
local.set 5
local.get 9
i32.eqz
br_if 0 (;@2;)
end
local.get 7
local.set 0
local.get 10
local.set 14
end
i32.const 1
i32.const 1
i32.const 1
local.get 4
local.get 14
i32.const 60
i32.gt_u
select
local.get 12
i32.const 59
i32.gt_u
select
local.get 13
i32.const 23
i32.gt_u
select
local.set 7
block ;; label = @1
block ;; label = @2
block ;; label = @3
block ;; label = @4
local.get 0
local.get 6
i32.ne
br_if 0 (;@4;)
i32.const 0
local.set 10
br 1 (;@3;)
end
i32.const 0
local.set 10
local.get 0
i32.load8_u
i32.const 46
i32.eq
br_if 1 (;@2;)
end
i32.const 0
local.set 15
br 1 (;@1;)
end
block ;; label = @2
block ;; label = @3
block ;; label = @4
local.get 0
i32.const 1
i32.add
local.tee 0
local.get 6
i32.lt_u
br_if 0 (;@4;)
i32.const 0
local.set 10
i32.const 1
local.set 7
i32.const 0
local.set 5
i32.const 0
local.set 4
br 1 (;@3;)
end
local.get 6
local.get 0
i32.sub
local.set 16
i32.const 0
local.set 10
i32.const 0
local.set 4
i32.const 0
local.set 5
block ;; label = @4
block ;; label = @5
loop ;; label = @6
local.get 0
local.get 5
i32.add
local.tee 17
i32.load8_u
local.tee 9
i32.const -48
i32.add
i32.const 255
i32.and
i32.const 9
i32.gt_u
br_if 1 (;@5;)
block ;; label = @7
block ;; label = @8
local.get 5
i32.const 8
i32.gt_u
br_if 0 (;@8;)
local.get 10
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 10
br 1 (;@7;)
end
local.get 4
local.get 9
i32.const 48
i32.ne
i32.or
local.set 4
end
local.get 16
local.get 5
i32.const 1
i32.add
local.tee 5
i32.ne
br_if 0 (;@6;)
end
local.get 6
local.set 0
local.get 16
local.set 5
br 1 (;@4;)
end
local.get 17
local.set 0
end
block ;; label = @4
local.get 5
br_if 0 (;@4;)
i32.const 0
local.set 5
i32.const 1
local.set 7
br 1 (;@3;)
end
local.get 5
i32.const 8
i32.gt_u
br_if 1 (;@2;)
end
local.get 5
i32.const -9
i32.add
local.set 5
loop ;; label = @3
local.get 10
i32.const 10
i32.mul
local.set 10
local.get 5
i32.const 1
i32.add
local.tee 5
br_if 0 (;@3;)
end
end
local.get 4
i32.const 0
i32.ne
local.set 15
end
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 17
i32.const 1
local.set 18
br 1 (;@2;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 5
i32.const 223
i32.and
i32.const 90
i32.ne
br_if 0 (;@3;)
local.get 0
i32.const 1
i32.add
local.set 0
i64.const 0
local.set 19
br 2 (;@1;)
end
i32.const 1
local.set 17
i32.const 1
local.set 18
block ;; label = @3
block ;; label = @4
block ;; label = @5
local.get 5
i32.const -43
i32.add
br_table 1 (;@4;) 3 (;@2;) 0 (;@5;) 3 (;@2;)
end
local.get 0
i32.const 1
i32.add
local.set 0
i32.const 0
local.set 18
br 1 (;@3;)
end
i32.const 1
local.set 18
local.get 0
i32.const 1
i32.add
local.set 0
end
local.get 7
local.set 17
end
local.get 0
i32.const 2
i32.add
local.set 20
i32.const 0
local.set 16
i32.const 0
local.set 5
i32.const 0
local.set 9
block ;; label = @2
loop ;; label = @3
i32.const 1
local.set 7
block ;; label = @4
local.get 0
local.get 6
i32.ne
br_if 0 (;@4;)
i32.const 1
local.set 17
local.get 6
local.set 0
br 2 (;@2;)
end
block ;; label = @4
local.get 0
i32.load8_u
local.tee 4
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@4;)
i32.const 1
local.set 17
br 2 (;@2;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 5
i32.const 10
i32.mul
local.get 4
i32.add
i32.const -48
i32.add
local.set 5
local.get 9
i32.const 1
i32.and
local.set 4
i32.const 1
local.set 9
local.get 4
i32.eqz
br_if 0 (;@3;)
end
local.get 20
local.set 0
local.get 5
local.set 16
end
block ;; label = @2
local.get 0
local.get 6
i32.eq
br_if 0 (;@2;)
local.get 17
i32.const 1
local.get 0
i32.load8_u
i32.const 58
i32.eq
local.tee 5
select
local.set 7
local.get 0
local.get 5
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 20
i32.const 0
local.set 17
i32.const 0
local.set 5
i32.const 0
local.set 9
block ;; label = @2
loop ;; label = @3
block ;; label = @4
local.get 0
local.get 6
i32.ne
br_if 0 (;@4;)
i32.const 1
local.set 7
local.get 6
local.set 0
br 2 (;@2;)
end
block ;; label = @4
local.get 0
i32.load8_u
local.tee 4
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@4;)
i32.const 1
local.set 7
br 2 (;@2;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 5
i32.const 10
i32.mul
local.get 4
i32.add
i32.const -48
i32.add
local.set 5
local.get 9
i32.const 1
i32.and
local.set 4
i32.const 1
local.set 9
local.get 4
i32.eqz
br_if 0 (;@3;)
end
local.get 20
local.set 0
local.get 5
local.set 17
end
i64.const 0
local.get 16
i64.extend_i32_u
i64.const 3600
i64.mul
local.get 17
i32.const 60
i32.mul
i64.extend_i32_u
i64.add
local.tee 21
i64.sub
local.get 21
local.get 18
select
local.set 19
i32.const 1
i32.const 1
local.get 7
local.get 17
i32.const 59
i32.gt_u
select
local.get 16
i32.const 23
i32.gt_u
select
local.set 7
end
i32.const 0
local.set 5
block ;; label = @1
local.get 0
local.get 6
i32.ne
br_if 0 (;@1;)
local.get 7
br_if 0 (;@1;)
local.get 2
local.get 8
i64.extend_i32_u
local.get 11
i32.const 3
i32.lt_u
i64.extend_i32_u
i64.sub
local.tee 21
i64.const -399
i64.add
local.get 21
local.get 21
i64.const 0
i64.lt_s
select
i64.const 400
i64.div_s
local.tee 22
i64.const 146097
i64.mul
local.get 22
i64.const 4294966896
i64.mul
local.get 21
i64.add
i32.wrap_i64
local.tee 0
i32.const 100
i32.div_u
i32.const -1
i32.xor
i32.const -3
i32.const 9
local.get 11
i32.const 2
i32.gt_u
select
local.get 11
i32.add
i32.const 153
i32.mul
i32.const 2
i32.add
i32.const 5
i32.div_u
local.get 0
i32.const 2
i32.shr_u
i32.add
local.get 0
i32.const 365
i32.mul
i32.add
i32.add
local.get 3
i32.add
i64.extend_i32_u
i64.add
i64.const 86400
i64.mul
local.get 13
i32.const 3600
i32.mul
i64.extend_i32_u
i64.add
local.get 12
i32.const 60
i32.mul
i64.extend_i32_u
i64.add
local.get 14
i64.extend_i32_u
i64.add
local.get 19
i64.add
i64.const -62162035200
i64.add
local.tee 21
i64.store
i32.const 1
local.set 5
block ;; label = @2
local.get 1
i32.const 0
i32.ne
local.get 15
i32.and
i32.const 1
i32.ne
br_if 0 (;@2;)
local.get 10
i32.const 1
i32.add
local.tee 10
i32.const 1000000000
i32.ne
br_if 0 (;@2;)
local.get 2
local.get 21
i64.const 1
i64.add
i64.store
i32.const 0
local.set 10
end
local.get 2
local.get 10
i32.store offset=8
end
local.get 5
)
(func (;29;) (type 11) (param i32 i32 i32)
(local i32 i32 i32)
global.get 0
i32.const 32
i32.sub
local.tee 3
global.set 0
block ;; label = @1
local.get 2
i32.load offset=4
local.tee 4
i32.const 65
i32.lt_u
br_if 0 (;@1;)
local.get 2
i32.load
local.set 5
i32.const 65
local.set 4
loop ;; label = @2
local.get 4
i32.const -1
i32.add
local.tee 4
local.get 5
i32.add
i32.load8_s
i32.const -64
i32.lt_s
br_if 0 (;@2;)
end
end
block ;; label = @1
block ;; label = @2
local.get 4
local.get 1
i32.load offset=4
i32.add
i32.const 55
i32.add
i32.const 1
call 13
local.tee 5
br_if 0 (;@2;)
i32.const 27
local.set 4
i32.const 65763
local.set 5
br 1 (;@1;)
end
local.get 3
local.get 1
i64.load align=4
i64.store offset=16
local.get 5
local.get 3
i32.const 16
i32.add
call 5
local.set 1
local.get 3
i32.const 0
i64.load offset=66076 align=4
i64.store offset=8
local.get 1
local.get 3
i32.const 8
i32.add
call 5
local.set 1
local.get 3
local.get 4
i32.store offset=28
local.get 3
local.get 2
i32.load
i32.store offset=24
local.get 3
local.get 3
i64.load offset=24 align=4
i64.store
local.get 1
local.get 3
call 5
local.get 5
i32.sub
local.set 4
end
local.get 0
local.get 4
i32.store offset=4
local.get 0
local.get 5
i32.store
local.get 3
i32.const 32
i32.add
global.set 0
)
(func (;30;) (type 12) (param i32 i32 i32 i32)
local.get 0
local.get 2
i32.load
local.get 2
i32.load offset=4
local.get 1
i32.const 1
i32.const 0
i32.const 0
i64.const 0
i32.const 0
i32.const 0
i32.const 0
local.get 3
i32.load
local.get 3
i32.load offset=4
call 0
)
(func (;31;) (type 5) (param i32 i32)
(local i64)
local.get 0
i64.const 0
i64.store offset=24
local.get 0
i32.const 0
i32.store offset=32
local.get 0
i64.const 0
i64.store offset=44 align=4
local.get 0
i64.const 0
i64.store offset=52 align=4
local.get 0
i64.const 0
i64.store offset=60 align=4
local.get 0
i32.const 0
i32.store offset=68
local.get 0
i32.const 0
i64.load offset=66088
local.tee 2
i64.store offset=8
local.get 0
local.get 2
i64.store
local.get 0
local.get 1
i64.load align=4
i64.store offset=16
local.get 0
local.get 2
i64.store offset=36 align=4
local.get 0
local.get 2
i64.store offset=72
local.get 0
i32.const 80
i32.add
i32.const 0
i32.const 56
memory.fill
)
(func (;32;) (type 9) (result i32)
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
i32.const 65605
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 23
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;33;) (type 9) (result i32)
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
i32.const 65983
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 23
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;34;) (type 6) (param i32)
call 14
)
(func (;35;) (type 9) (result i32)
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
i32.const 65605
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 23
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;36;) (type 6) (param i32)
call 14
)
(func (;37;) (type 9) (result i32)
call 86
i32.const 0
)
(func (;38;) (type 6) (param i32)
call 14
)
(func (;39;) (type 13) (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 288
i32.sub
local.tee 10
global.set 0
local.get 10
local.get 1
i32.store offset=276
local.get 10
local.get 0
i32.store offset=272
local.get 10
local.get 3
i32.store offset=268
local.get 10
local.get 2
i32.store offset=264
local.get 10
local.get 10
i64.load offset=272 align=4
i64.store offset=136
local.get 10
local.get 10
i64.load offset=264 align=4
i64.store offset=128
block ;; label = @1
block ;; label = @2
local.get 10
i32.const 136
i32.add
local.get 10
i32.const 128
i32.add
local.get 10
i32.const 280
i32.add
call 88
i32.eqz
br_if 0 (;@2;)
local.get 10
local.get 10
i64.load offset=280 align=4
i64.store offset=120
local.get 10
i32.const 120
i32.add
call 21
local.set 1
br 1 (;@1;)
end
local.get 10
i64.const 0
i64.store offset=168
local.get 10
i64.const 0
i64.store offset=160
local.get 10
i64.const 0
i64.store offset=176
local.get 10
i32.const 0
i32.store16 offset=209 align=1
local.get 10
local.get 4
i32.store8 offset=208
local.get 10
i64.const 0
i64.store offset=200
local.get 10
local.get 3
i32.store offset=196
local.get 10
local.get 2
i32.store offset=192
local.get 10
local.get 1
i32.store offset=188
local.get 10
local.get 0
i32.store offset=184
local.get 10
i32.const 0
i32.store8 offset=211
local.get 10
local.get 6
i32.store offset=216
local.get 10
local.get 5
i32.store offset=212
local.get 10
i32.const 220
i32.add
i32.const 0
i32.const 44
memory.fill
local.get 10
local.get 9
i32.store offset=228
local.get 10
local.get 8
i32.store offset=224
local.get 10
local.get 7
i32.store8 offset=220
local.get 10
i64.const 0
i64.store offset=149 align=1
local.get 10
i32.const 0
i32.store8 offset=148
local.get 10
i32.const 0
i32.store offset=156 align=1
local.get 10
i32.const 16
i32.add
local.get 10
i32.const 160
i32.add
i32.const 104
memory.copy
local.get 10
local.get 10
i32.load offset=156
i32.store offset=8
local.get 10
local.get 10
i64.load offset=148 align=4
i64.store
local.get 10
i32.const 16
i32.add
local.get 10
call 40
local.set 1
end
local.get 10
i32.const 288
i32.add
global.set 0
local.get 1
)
(func (;40;) (type 3) (param i32 i32) (result i32)
(local i32 i32 i32 i32 i32 i32 i32 i32 i64 i32)
global.get 0
i32.const 144
i32.sub
local.tee 2
global.set 0
block ;; label = @1
local.get 1
i32.load8_u
br_if 0 (;@1;)
local.get 1
i32.const 7
i32.store offset=8
local.get 1
i32.const 65650
i32.store offset=4
end
block ;; label = @1
block ;; label = @2
local.get 0
i32.load8_u offset=48
i32.const 3
i32.ne
br_if 0 (;@2;)
local.get 0
i32.load offset=56
local.set 3
br 1 (;@1;)
end
i32.const 0
local.set 3
local.get 0
i32.const 0
i32.store offset=56
local.get 0
i32.const 66074
i32.store offset=52
end
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=28
local.get 0
i32.load offset=36
i32.add
local.get 1
i32.load offset=8
i32.add
local.get 3
i32.add
local.get 0
i32.load offset=68
i32.const 0
local.get 0
i32.load8_u offset=60
local.tee 4
select
i32.add
local.get 0
i32.load offset=80
i32.const 0
local.get 0
i32.load8_u offset=72
local.tee 5
select
i32.add
i32.const 104
i32.add
call 7
local.tee 3
i32.eqz
br_if 0 (;@2;)
block ;; label = @3
i32.const 0
i32.load offset=67032
i32.const 0
i32.load offset=67040
local.tee 6
i32.lt_u
br_if 0 (;@3;)
local.get 6
i32.const 1
i32.shl
i32.const 64
local.get 6
select
local.tee 7
i32.const 2
i32.shl
call 7
local.tee 6
i32.eqz
br_if 1 (;@2;)
i32.const 0
local.set 8
block ;; label = @4
i32.const 0
i32.load offset=67036
local.tee 9
i32.eqz
br_if 0 (;@4;)
local.get 6
local.get 9
i32.const 0
i32.load offset=67032
i32.const 2
i32.shl
call 2
drop
i32.const 0
i32.load offset=67036
local.set 8
end
local.get 8
call 12
i32.const 0
local.get 7
i32.store offset=67040
i32.const 0
local.get 6
i32.store offset=67036
end
i32.const 0
local.set 7
local.get 0
i32.const 0
i64.load offset=67048
i64.const 1
i64.add
local.tee 10
i64.store
i32.const 0
local.get 10
i64.store offset=67048
local.get 0
i32.const 8
i32.add
call 24
local.get 2
local.get 0
i64.load offset=24
local.tee 10
i64.store offset=136
local.get 2
local.get 10
i64.store offset=96
local.get 3
i32.const 104
i32.add
local.tee 8
local.get 2
i32.const 96
i32.add
call 5
local.set 6
local.get 0
local.get 10
i64.const 32
i64.shr_u
i64.store32 offset=28
local.get 0
local.get 8
i32.store offset=24
local.get 2
local.get 0
i64.load offset=32
local.tee 10
i64.store offset=136
local.get 2
local.get 10
i64.store offset=88
local.get 6
local.get 2
i32.const 88
i32.add
call 5
local.set 8
local.get 0
local.get 10
i64.const 32
i64.shr_u
i64.store32 offset=36
local.get 0
local.get 6
i32.store offset=32
local.get 2
local.get 1
i64.load offset=4 align=4
local.tee 10
i64.store offset=136
local.get 2
local.get 10
i64.store offset=80
local.get 8
local.get 2
i32.const 80
i32.add
call 5
local.set 1
local.get 0
local.get 10
i64.const 32
i64.shr_u
i64.store32 offset=44
local.get 0
local.get 8
i32.store offset=40
local.get 2
local.get 0
i64.load offset=52 align=4
local.tee 10
i64.store offset=136
local.get 2
local.get 10
i64.store offset=72
local.get 1
local.get 2
i32.const 72
i32.add
call 5
local.set 8
local.get 0
local.get 10
i64.const 32
i64.shr_u
i64.store32 offset=56
local.get 0
local.get 1
i32.store offset=52
local.get 0
i32.const 61
i32.add
local.set 1
block ;; label = @3
block ;; label = @4
local.get 4
i32.eqz
br_if 0 (;@4;)
local.get 2
i32.const 0
i32.store16 offset=124
local.get 2
i32.const 0
i32.store8 offset=126
local.get 2
local.get 0
i64.load offset=64
local.tee 10
i64.store offset=64
local.get 2
local.get 10
i64.store offset=136
local.get 10
i64.const 32
i64.shr_u
i32.wrap_i64
local.set 4
local.get 8
local.get 2
i32.const 64
i32.add
call 5
local.set 6
i32.const 1
local.set 9
local.get 8
local.set 7
br 1 (;@3;)
end
local.get 2
i32.const 0
i32.store8 offset=126
local.get 2
i32.const 0
i32.store16 offset=124
i32.const 0
local.set 4
local.get 8
local.set 6
i32.const 0
local.set 9
end
local.get 0
i32.const 72
i32.add
local.set 8
local.get 0
i32.const 24
i32.add
local.set 11
local.get 0
local.get 9
i32.store8 offset=60
local.get 1
local.get 2
i32.load16_u offset=124
i32.store16 align=1
local.get 1
local.get 2
i32.load8_u offset=126
i32.store8 offset=2
local.get 0
local.get 4
i32.store offset=68
local.get 0
local.get 7
i32.store offset=64
local.get 0
i32.const 73
i32.add
local.set 1
block ;; label = @3
block ;; label = @4
local.get 5
i32.eqz
br_if 0 (;@4;)
local.get 2
i32.const 0
i32.store16 offset=124
local.get 2
i32.const 0
i32.store8 offset=126
local.get 2
local.get 0
i64.load offset=76 align=4
local.tee 10
i64.store offset=56
local.get 2
local.get 10
i64.store offset=136
local.get 6
local.get 2
i32.const 56
i32.add
call 5
drop
local.get 10
i64.const 32
i64.shr_u
i32.wrap_i64
local.set 4
i32.const 1
local.set 5
br 1 (;@3;)
end
i32.const 0
local.set 6
local.get 2
i32.const 0
i32.store8 offset=126
local.get 2
i32.const 0
i32.store16 offset=124
i32.const 0
local.set 4
i32.const 0
local.set 5
end
local.get 0
local.get 5
i32.store8 offset=72
local.get 1
local.get 2
i32.load16_u offset=124
i32.store16 align=1
local.get 1
local.get 2
i32.load8_u offset=126
i32.store8 offset=2
local.get 0
local.get 4
i32.store offset=80
local.get 0
local.get 6
i32.store offset=76
local.get 3
local.get 0
i32.const 104
memory.copy
local.get 2
local.get 11
i64.load align=4
i64.store offset=48
local.get 2
local.get 8
i64.load align=4
i64.store offset=32
local.get 2
local.get 8
i32.load offset=8
i32.store offset=40
local.get 2
i32.const 48
i32.add
i32.const 1
local.get 2
i32.const 32
i32.add
call 41
drop
i32.const 0
i32.load offset=67036
i32.const 0
i32.load offset=67032
local.tee 0
i32.const 2
i32.shl
i32.add
local.get 3
i32.store
i32.const 0
local.get 0
i32.const 1
i32.add
i32.store offset=67032
local.get 2
i32.const 12
i32.store offset=120
local.get 2
i32.const 65843
i32.store offset=116
local.get 2
i32.const 14
i32.store offset=112
local.get 2
i32.const 65590
i32.store offset=108
local.get 2
local.get 2
i64.load offset=116 align=4
i64.store offset=24
local.get 2
local.get 2
i64.load offset=108 align=4
i64.store offset=16
i32.const 1
i32.const 23
local.get 2
i32.const 24
i32.add
local.get 2
i32.const 16
i32.add
call 30
call 16
local.set 0
br 1 (;@1;)
end
local.get 2
i32.const 27
i32.store offset=132
local.get 2
i32.const 65763
i32.store offset=128
local.get 2
local.get 2
i64.load offset=128 align=4
i64.store offset=8
local.get 2
i32.const 8
i32.add
call 21
local.set 0
end
local.get 2
i32.const 144
i32.add
global.set 0
local.get 0
)
(func (;41;) (type 2) (param i32 i32 i32) (result i32)
(local i32 i32 i32 i32 i64 i32 i32 i32 i32)
global.get 0
i32.const 80
i32.sub
local.tee 3
global.set 0
i32.const 0
local.set 4
block ;; label = @1
i32.const 0
i32.load offset=67032
local.tee 5
i32.eqz
br_if 0 (;@1;)
local.get 5
i32.const 2
i32.shl
i32.const -4
i32.add
local.set 6
local.get 0
i64.load align=4
local.set 7
local.get 5
local.set 8
loop ;; label = @2
i32.const 0
i32.load offset=67036
local.get 8
local.tee 9
i32.const -1
i32.add
local.tee 8
i32.const 2
i32.shl
local.tee 10
i32.add
i32.load
local.set 4
block ;; label = @3
block ;; label = @4
block ;; label = @5
local.get 1
i32.eqz
br_if 0 (;@5;)
local.get 3
local.get 7
i64.store offset=72
local.get 3
local.get 4
i64.load offset=24 align=4
i64.store offset=64
local.get 3
local.get 7
i64.store offset=56
local.get 3
i32.const 64
i32.add
local.get 3
i32.const 56
i32.add
call 3
i32.eqz
br_if 2 (;@3;)
local.get 3
local.get 4
i32.load offset=80
i32.store offset=48
local.get 3
local.get 4
i64.load offset=72 align=4
i64.store offset=40
local.get 3
local.get 2
i64.load align=4
i64.store offset=24
local.get 3
local.get 2
i32.load offset=8
i32.store offset=32
local.get 3
i32.const 40
i32.add
local.get 3
i32.const 24
i32.add
call 4
br_if 1 (;@4;)
br 2 (;@3;)
end
local.get 3
local.get 4
i64.load offset=24 align=4
i64.store offset=16
local.get 3
local.get 0
i64.load align=4
i64.store offset=8
local.get 3
i32.const 16
i32.add
local.get 3
i32.const 8
i32.add
call 3
i32.eqz
br_if 1 (;@3;)
end
i32.const 0
i32.load offset=67036
local.get 10
i32.add
i32.load
call 12
i32.const 0
i32.const 0
i32.load offset=67032
local.tee 10
i32.const -1
i32.add
local.tee 4
i32.store offset=67032
local.get 8
local.get 4
i32.ge_u
br_if 0 (;@3;)
i32.const 0
i32.load offset=67036
local.get 6
i32.add
local.set 4
loop ;; label = @4
local.get 4
local.get 4
i32.const 4
i32.add
local.tee 11
i32.load
i32.store
local.get 11
local.set 4
local.get 9
local.get 10
i32.const -1
i32.add
local.tee 10
i32.ne
br_if 0 (;@4;)
end
end
local.get 6
i32.const -4
i32.add
local.set 6
local.get 8
br_if 0 (;@2;)
end
local.get 5
i32.const 0
i32.load offset=67032
i32.ne
local.set 4
end
local.get 3
i32.const 80
i32.add
global.set 0
local.get 4
)
(func (;42;) (type 6) (param i32)
call 14
)
(func (;43;) (type 14) (param i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 128
i32.sub
local.tee 12
global.set 0
local.get 12
i32.const 0
i32.store offset=124
local.get 12
i64.const 0
i64.store offset=116 align=4
local.get 12
local.get 1
i32.store offset=112
local.get 12
local.get 0
i32.store offset=108
local.get 12
i32.const 0
i32.store16 offset=97 align=1
local.get 12
local.get 3
i32.store8 offset=96
local.get 12
i32.const 0
i32.store8 offset=99
local.get 12
local.get 5
i32.store offset=104
local.get 12
local.get 4
i32.store offset=100
local.get 12
i32.const 0
i32.store16 offset=85 align=1
local.get 12
local.get 6
i32.store8 offset=84
local.get 12
i32.const 0
i32.store8 offset=87
local.get 12
local.get 8
i32.store offset=92
local.get 12
local.get 7
i32.store offset=88
local.get 12
i32.const 0
i32.store16 offset=73 align=1
local.get 12
local.get 9
i32.store8 offset=72
local.get 12
i32.const 0
i32.store8 offset=75
local.get 12
local.get 10
i32.store offset=76
local.get 12
local.get 11
i32.store offset=80
local.get 12
local.get 8
i32.store offset=24
local.get 12
local.get 11
i32.store offset=8
local.get 12
local.get 12
i64.load offset=116 align=4
i64.store offset=56
local.get 12
local.get 12
i32.load offset=124
i32.store offset=64
local.get 12
local.get 12
i64.load offset=108 align=4
i64.store offset=48
local.get 12
local.get 12
i64.load offset=96 align=4
i64.store offset=32
local.get 12
local.get 12
i32.load offset=104
i32.store offset=40
local.get 12
local.get 12
i64.load offset=84 align=4
i64.store offset=16
local.get 12
local.get 12
i64.load offset=72 align=4
i64.store
local.get 12
i32.const 56
i32.add
local.get 12
i32.const 48
i32.add
local.get 2
local.get 12
i32.const 32
i32.add
local.get 12
i32.const 16
i32.add
local.get 12
call 44
local.set 8
local.get 12
i32.const 128
i32.add
global.set 0
local.get 8
)
(func (;44;) (type 15) (param i32 i32 i64 i32 i32 i32) (result i32)
(local i32 i64 i32 i32 i32 i32 i32 i32 i32)
global.get 0
i32.const 288
i32.sub
local.tee 6
global.set 0
local.get 6
i64.const 0
i64.store offset=256
block ;; label = @1
block ;; label = @2
local.get 2
local.get 6
i32.const 256
i32.add
call 91
i32.eqz
br_if 0 (;@2;)
local.get 6
local.get 6
i64.load offset=256
i64.store offset=200
local.get 6
i32.const 200
i32.add
call 18
local.set 5
br 1 (;@1;)
end
local.get 6
local.get 4
i32.load offset=8
i32.store offset=192
local.get 6
local.get 4
i64.load align=4
i64.store offset=184
local.get 6
local.get 5
i64.load align=4
i64.store offset=168
local.get 6
local.get 5
i32.load offset=8
i32.store offset=176
block ;; label = @2
local.get 6
i32.const 224
i32.add
local.get 6
i32.const 184
i32.add
local.get 6
i32.const 168
i32.add
local.get 6
i32.const 216
i32.add
call 27
br_if 0 (;@2;)
local.get 6
local.get 6
i64.load offset=216 align=4
i64.store
local.get 6
call 21
local.set 5
br 1 (;@1;)
end
local.get 6
local.get 1
i64.load align=4
local.tee 7
i64.store offset=280
local.get 7
i32.wrap_i64
local.set 8
block ;; label = @2
block ;; label = @3
block ;; label = @4
block ;; label = @5
block ;; label = @6
block ;; label = @7
local.get 7
i64.const 32
i64.shr_u
local.tee 7
i64.eqz
i32.eqz
br_if 0 (;@7;)
local.get 8
local.set 5
br 1 (;@6;)
end
i32.const 0
local.get 7
i32.wrap_i64
local.tee 9
i32.sub
local.set 4
local.get 8
local.get 9
i32.add
local.set 10
local.get 8
local.set 5
loop ;; label = @7
block ;; label = @8
local.get 5
i32.load8_u
local.tee 11
i32.const -9
i32.add
i32.const 5
i32.lt_u
br_if 0 (;@8;)
local.get 11
i32.const 32
i32.ne
br_if 3 (;@5;)
end
local.get 5
i32.const 1
i32.add
local.set 5
local.get 4
i32.const 1
i32.add
local.tee 4
br_if 0 (;@7;)
end
local.get 10
local.set 5
end
local.get 6
local.get 5
i32.store offset=280
br 1 (;@4;)
end
local.get 6
local.get 5
i32.store offset=280
local.get 4
i32.const 1
i32.add
local.set 10
local.get 8
local.get 9
i32.add
i32.const -1
i32.add
local.set 9
i32.const 0
local.set 11
loop ;; label = @5
block ;; label = @6
local.get 9
local.get 11
i32.add
i32.load8_u
local.tee 8
i32.const -9
i32.add
i32.const 5
i32.lt_u
br_if 0 (;@6;)
local.get 8
i32.const 32
i32.ne
br_if 3 (;@3;)
end
local.get 10
local.get 11
i32.eq
local.set 8
local.get 11
i32.const -1
i32.add
local.set 11
local.get 8
i32.eqz
br_if 0 (;@5;)
end
end
i32.const 0
local.set 4
br 1 (;@2;)
end
local.get 11
local.get 4
i32.sub
local.set 4
end
local.get 6
local.get 4
i32.store offset=284
local.get 6
i32.const 1
i32.store offset=268
local.get 6
i32.const 65989
i32.store offset=264
local.get 6
local.get 6
i64.load offset=280
i64.store offset=160
local.get 6
local.get 6
i64.load offset=264 align=4
i64.store offset=152
local.get 1
i32.const 0
local.get 4
local.get 6
i32.const 160
i32.add
local.get 6
i32.const 152
i32.add
call 3
local.tee 11
select
i32.store offset=4
local.get 1
i32.const 66074
local.get 5
local.get 11
select
i32.store
local.get 6
i32.const 0
i32.load offset=67032
i32.const 136
i32.mul
i32.const 8
call 13
local.tee 5
i32.store offset=256
block ;; label = @2
local.get 5
br_if 0 (;@2;)
local.get 6
i32.const 27
i32.store offset=212
local.get 6
i32.const 65763
i32.store offset=208
local.get 6
local.get 6
i64.load offset=208 align=4
i64.store offset=8
local.get 6
i32.const 8
i32.add
call 21
local.set 5
br 1 (;@1;)
end
block ;; label = @2
i32.const 0
i32.load offset=67032
local.tee 9
i32.eqz
br_if 0 (;@2;)
local.get 2
local.get 6
i64.load32_u offset=260
i64.le_u
br_if 0 (;@2;)
local.get 1
i64.load align=4
local.tee 7
i64.const 32
i64.shr_u
i32.wrap_i64
local.set 1
local.get 6
i32.const 264
i32.add
i32.const 4
i32.or
local.set 8
local.get 0
i32.load offset=8
local.set 12
local.get 0
i32.load offset=4
local.set 13
local.get 0
i32.load
local.set 14
local.get 3
i32.load8_u
i32.const 255
i32.and
local.set 10
loop ;; label = @3
i32.const 0
i32.load offset=67036
local.get 9
i32.const -1
i32.add
local.tee 9
i32.const 2
i32.shl
i32.add
i32.load
local.set 11
block ;; label = @4
block ;; label = @5
local.get 10
i32.eqz
br_if 0 (;@5;)
local.get 6
local.get 3
i32.load offset=8
i32.store offset=144
local.get 6
local.get 3
i64.load align=4
i64.store offset=136
local.get 6
local.get 11
i64.load offset=60 align=4
i64.store offset=120
local.get 6
local.get 11
i32.load offset=68
i32.store offset=128
local.get 6
i32.const 136
i32.add
local.get 6
i32.const 120
i32.add
call 4
i32.eqz
br_if 1 (;@4;)
end
local.get 6
local.get 11
i32.load offset=80
i32.store offset=272
local.get 6
local.get 11
i64.load offset=72 align=4
i64.store offset=264
block ;; label = @5
local.get 14
i32.eqz
br_if 0 (;@5;)
local.get 6
i32.load8_u offset=264
i32.eqz
br_if 1 (;@4;)
local.get 13
local.set 5
local.get 12
local.set 4
local.get 12
i32.eqz
br_if 1 (;@4;)
loop ;; label = @6
local.get 6
local.get 5
i64.load align=4
i64.store offset=112
local.get 6
local.get 8
i64.load align=4
i64.store offset=104
local.get 6
i32.const 112
i32.add
local.get 6
i32.const 104
i32.add
call 3
br_if 1 (;@5;)
local.get 5
i32.const 8
i32.add
local.set 5
local.get 4
i32.const -1
i32.add
local.tee 4
i32.eqz
br_if 2 (;@4;)
br 0 (;@6;)
end
end
local.get 6
local.get 6
i64.load offset=224
i64.store offset=72
local.get 6
local.get 6
i64.load offset=232
i64.store offset=80
local.get 6
local.get 6
i64.load offset=240
i64.store offset=88
local.get 6
local.get 6
i64.load offset=248
i64.store offset=96
local.get 6
local.get 11
i64.load offset=8
i64.store offset=56
local.get 6
local.get 11
i64.load offset=16
i64.store offset=64
local.get 6
i32.const 72
i32.add
local.get 6
i32.const 56
i32.add
call 25
i32.eqz
br_if 0 (;@4;)
local.get 6
local.get 7
i64.store offset=280
block ;; label = @5
block ;; label = @6
local.get 11
i32.load offset=36
local.tee 0
local.get 1
i32.lt_u
br_if 0 (;@6;)
local.get 11
i32.load offset=32
local.set 5
local.get 1
local.set 4
loop ;; label = @7
local.get 6
local.get 1
i32.store offset=268
local.get 6
local.get 5
i32.store offset=264
local.get 6
local.get 6
i64.load offset=280
i64.store offset=40
local.get 6
local.get 6
i64.load offset=264 align=4
i64.store offset=48
local.get 6
i32.const 48
i32.add
local.get 6
i32.const 40
i32.add
call 3
br_if 2 (;@5;)
local.get 5
i32.const 1
i32.add
local.set 5
local.get 4
i32.const 1
i32.add
local.tee 4
local.get 0
i32.le_u
br_if 0 (;@7;)
end
end
local.get 6
local.get 7
i64.store offset=280
local.get 11
i32.load offset=28
local.tee 0
local.get 1
i32.lt_u
br_if 1 (;@4;)
local.get 11
i32.load offset=24
local.set 5
local.get 1
local.set 4
loop ;; label = @6
local.get 6
local.get 1
i32.store offset=268
local.get 6
local.get 5
i32.store offset=264
local.get 6
local.get 6
i64.load offset=280
i64.store offset=24
local.get 6
local.get 6
i64.load offset=264 align=4
i64.store offset=32
local.get 6
i32.const 32
i32.add
local.get 6
i32.const 24
i32.add
call 3
br_if 1 (;@5;)
local.get 5
i32.const 1
i32.add
local.set 5
local.get 4
i32.const 1
i32.add
local.tee 4
local.get 0
i32.gt_u
br_if 2 (;@4;)
br 0 (;@6;)
end
end
local.get 6
local.get 6
i32.load offset=260
local.tee 5
i32.const 1
i32.add
i32.store offset=260
local.get 11
local.get 6
i32.load offset=256
local.get 5
i32.const 136
i32.mul
i32.add
call 45
end
local.get 9
i32.eqz
br_if 1 (;@2;)
local.get 2
local.get 6
i64.load32_u offset=260
i64.gt_u
br_if 0 (;@3;)
end
end
local.get 6
local.get 6
i64.load offset=256
i64.store offset=16
local.get 6
i32.const 16
i32.add
call 18
local.set 5
end
local.get 6
i32.const 288
i32.add
global.set 0
local.get 5
)
(func (;45;) (type 5) (param i32 i32)
(local i32 i32 i32 i64 i32 i64 i64 i64 i32 i64 i32 i64 i64 i64)
global.get 0
i32.const 80
i32.sub
local.tee 2
global.set 0
i32.const 50
i32.const 1
call 13
local.tee 3
local.get 0
i64.load
i32.const 1
call 6
local.set 4
local.get 2
local.get 0
i64.load offset=16
i64.store offset=8
local.get 2
local.get 0
i64.load offset=8
i64.store
local.get 4
local.get 2
call 26
local.get 0
i64.load offset=40
local.set 5
local.get 0
i32.load offset=80
local.set 6
local.get 0
i64.load offset=72
local.set 7
local.get 0
i64.load offset=96
local.set 8
local.get 0
i64.load offset=88
local.set 9
local.get 0
i32.load offset=68
local.set 10
local.get 0
i64.load offset=60 align=4
local.set 11
local.get 0
i32.load offset=56
local.set 12
local.get 0
i64.load offset=48
local.set 13
local.get 0
i64.load offset=32
local.set 14
local.get 0
i64.load offset=24
local.set 15
local.get 1
local.get 3
i32.store
local.get 1
local.get 4
local.get 3
i32.sub
i32.store offset=4
local.get 1
local.get 15
i64.store offset=8
local.get 1
local.get 14
i64.store offset=16
local.get 1
local.get 4
i32.store offset=36
local.get 1
i32.const 30
i32.store offset=40
local.get 2
local.get 13
i64.store offset=64
local.get 2
local.get 12
i32.store offset=72
local.get 2
local.get 11
i64.store offset=48
local.get 2
local.get 10
i32.store offset=56
local.get 2
local.get 9
i64.store offset=32
local.get 2
local.get 8
i64.store offset=40
local.get 2
local.get 7
i64.store offset=16
local.get 2
local.get 6
i32.store offset=24
local.get 1
local.get 2
i32.load offset=72
i32.store offset=32
local.get 1
local.get 2
i64.load offset=64
i64.store offset=24
local.get 1
local.get 2
i32.load offset=56
i32.store offset=52
local.get 1
local.get 2
i64.load offset=48
i64.store offset=44 align=4
local.get 1
i64.const 0
i64.store offset=64
local.get 1
i64.const 0
i64.store offset=56
local.get 1
local.get 5
i64.store offset=72
local.get 1
local.get 2
i64.load offset=40
i64.store offset=88
local.get 1
local.get 2
i64.load offset=32
i64.store offset=80
local.get 1
i64.const 0
i64.store offset=112
local.get 1
i64.const 0
i64.store offset=104
local.get 1
i64.const 0
i64.store offset=96
local.get 1
local.get 2
i32.load offset=24
i32.store offset=128
local.get 1
local.get 2
i64.load offset=16
i64.store offset=120
local.get 1
i32.const 0
i32.store offset=132
local.get 1
call 96
local.get 2
i32.const 80
i32.add
global.set 0
)
(func (;46;) (type 6) (param i32)
call 14
)
(func (;47;) (type 3) (param i32 i32) (result i32)
(local i32 i32 i32 i32 i64 i32)
global.get 0
i32.const 176
i32.sub
local.tee 2
global.set 0
local.get 2
local.get 1
i32.store offset=36
local.get 2
local.get 0
i32.store offset=32
local.get 2
local.get 2
i64.load offset=32 align=4
i64.store offset=16
local.get 2
i32.const 40
i32.add
local.set 3
block ;; label = @1
local.get 2
i32.const 16
i32.add
local.get 2
i32.const 40
i32.add
call 95
br_if 0 (;@1;)
i32.const 0
i32.load offset=67032
local.tee 4
i32.const 1
i32.add
local.set 5
local.get 4
i32.const 2
i32.shl
local.set 4
loop ;; label = @2
block ;; label = @3
local.get 5
i32.const -1
i32.add
local.tee 5
br_if 0 (;@3;)
i32.const 0
local.set 3
br 2 (;@1;)
end
local.get 2
local.get 1
i32.store offset=28
local.get 2
local.get 0
i32.store offset=24
i32.const 0
i32.load offset=67036
local.get 4
i32.add
i32.const -4
i32.add
i32.load
i64.load offset=24 align=4
local.set 6
local.get 2
local.get 2
i64.load offset=24 align=4
i64.store
local.get 2
local.get 6
i64.store offset=8
local.get 4
i32.const -4
i32.add
local.tee 7
local.set 4
local.get 2
i32.const 8
i32.add
local.get 2
call 3
i32.eqz
br_if 0 (;@2;)
end
i32.const 0
i32.load offset=67036
local.get 7
i32.add
i32.load
local.get 2
i32.const 40
i32.add
call 45
end
local.get 3
call 20
local.set 4
local.get 2
i32.const 176
i32.add
global.set 0
local.get 4
)
(func (;48;) (type 6) (param i32)
call 14
)
(func (;49;) (type 16) (param i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32 i32 i32 i32 i32)
global.get 0
i32.const 128
i32.sub
local.tee 7
global.set 0
local.get 7
i32.const 0
i32.store16 offset=113 align=1
local.get 7
local.get 0
i32.store8 offset=112
local.get 7
i32.const 0
i32.store8 offset=115
local.get 7
i32.const 0
i32.store16 offset=117 align=1
local.get 7
local.get 1
i32.store8 offset=116
local.get 7
i32.const 0
i32.store8 offset=119
local.get 7
local.get 3
i32.store offset=124
local.get 7
local.get 2
i32.store offset=120
local.get 7
i64.const 0
i64.store offset=104
block ;; label = @1
block ;; label = @2
local.get 7
i32.const 104
i32.add
call 94
i32.eqz
br_if 0 (;@2;)
local.get 7
local.get 7
i64.load offset=104
i64.store offset=72
local.get 7
i32.const 72
i32.add
call 18
local.set 0
br 1 (;@1;)
end
local.get 7
i32.const 0
i32.load offset=67032
i32.const 136
i32.mul
i32.const 8
call 13
local.tee 3
i32.store offset=104
block ;; label = @2
local.get 3
br_if 0 (;@2;)
local.get 7
i32.const 27
i32.store offset=100
local.get 7
i32.const 65763
i32.store offset=96
local.get 7
local.get 7
i64.load offset=96 align=4
i64.store offset=8
local.get 7
i32.const 8
i32.add
call 21
local.set 0
br 1 (;@1;)
end
block ;; label = @2
i32.const 0
i32.load offset=67032
local.tee 2
i32.eqz
br_if 0 (;@2;)
local.get 7
i32.const 112
i32.add
i32.const 8
i32.add
local.set 8
local.get 0
i32.const 255
i32.and
local.set 9
local.get 2
i32.const 2
i32.shl
i32.const -4
i32.add
local.set 3
local.get 7
i32.const 84
i32.add
i32.const 1
i32.or
local.set 10
loop ;; label = @3
i32.const 0
i32.load offset=67036
local.get 3
i32.add
i32.load
local.set 0
block ;; label = @4
block ;; label = @5
local.get 4
i32.eqz
br_if 0 (;@5;)
local.get 10
i32.const 0
i32.store16 align=1
local.get 10
i32.const 0
i32.store8 offset=2
local.get 7
local.get 5
i32.store offset=88
local.get 7
local.get 4
i32.store8 offset=84
local.get 7
local.get 6
i32.store offset=92
local.get 7
local.get 6
i32.store offset=64
local.get 7
local.get 7
i64.load offset=84 align=4
i64.store offset=56
local.get 7
local.get 0
i64.load offset=60 align=4
i64.store offset=40
local.get 7
local.get 0
i32.load offset=68
i32.store offset=48
local.get 7
i32.const 56
i32.add
local.get 7
i32.const 40
i32.add
call 4
i32.eqz
br_if 1 (;@4;)
end
block ;; label = @5
local.get 9
i32.eqz
br_if 0 (;@5;)
local.get 0
i32.load8_u offset=48
local.get 1
i32.const 255
i32.and
local.tee 11
i32.ne
br_if 1 (;@4;)
local.get 11
i32.const 3
i32.ne
br_if 0 (;@5;)
local.get 7
local.get 8
i64.load align=4
i64.store offset=32
local.get 7
local.get 0
i64.load offset=52 align=4
i64.store offset=24
local.get 7
i32.const 32
i32.add
local.get 7
i32.const 24
i32.add
call 3
i32.eqz
br_if 1 (;@4;)
end
local.get 7
local.get 7
i32.load offset=108
local.tee 11
i32.const 1
i32.add
i32.store offset=108
local.get 0
local.get 7
i32.load offset=104
local.get 11
i32.const 136
i32.mul
i32.add
call 45
end
local.get 3
i32.const -4
i32.add
local.set 3
local.get 2
i32.const -1
i32.add
local.tee 2
br_if 0 (;@3;)
end
end
local.get 7
local.get 7
i64.load offset=104
i64.store offset=16
local.get 7
i32.const 16
i32.add
call 18
local.set 0
end
local.get 7
i32.const 128
i32.add
global.set 0
local.get 0
)
(func (;50;) (type 6) (param i32)
call 14
)
(func (;51;) (type 3) (param i32 i32) (result i32)
(local i32)
global.get 0
i32.const 48
i32.sub
local.tee 2
global.set 0
local.get 2
local.get 1
i32.store offset=44
local.get 2
local.get 0
i32.store offset=40
local.get 2
i64.const 0
i64.store offset=29 align=1
local.get 2
i32.const 0
i32.store8 offset=28
local.get 2
i32.const 0
i32.store offset=36 align=1
local.get 2
local.get 2
i64.load offset=40 align=4
i64.store offset=16
local.get 2
local.get 2
i64.load offset=28 align=4
i64.store
local.get 2
local.get 2
i32.load offset=36
i32.store offset=8
local.get 2
i32.const 16
i32.add
i32.const 0
local.get 2
call 41
call 17
local.set 1
local.get 2
i32.const 48
i32.add
global.set 0
local.get 1
)
(func (;52;) (type 6) (param i32)
call 14
)
(func (;53;) (type 8) (param i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 48
i32.sub
local.tee 4
global.set 0
local.get 4
local.get 1
i32.store offset=44
local.get 4
local.get 0
i32.store offset=40
local.get 4
i32.const 0
i32.store16 offset=29 align=1
local.get 4
i32.const 1
i32.store8 offset=28
local.get 4
i32.const 0
i32.store8 offset=31
local.get 4
local.get 2
i32.store offset=32
local.get 4
local.get 3
i32.store offset=36
local.get 4
local.get 3
i32.store offset=8
local.get 4
local.get 4
i64.load offset=40 align=4
i64.store offset=16
local.get 4
local.get 4
i64.load offset=28 align=4
i64.store
local.get 4
i32.const 16
i32.add
i32.const 1
local.get 4
call 41
call 17
local.set 3
local.get 4
i32.const 48
i32.add
global.set 0
local.get 3
)
(func (;54;) (type 6) (param i32)
call 14
)
(func (;55;) (type 9) (result i32)
i32.const 0
i64.load32_u offset=67032
call 19
)
(func (;56;) (type 6) (param i32)
call 14
)
(func (;57;) (type 9) (result i32)
call 87
i32.const 1
)
(func (;58;) (type 6) (param i32)
call 14
)
(func (;59;) (type 0) (param i32) (result i32)
(local i32)
global.get 0
i32.const 224
i32.sub
local.tee 1
global.set 0
local.get 1
i64.const 0
i64.store offset=128
local.get 1
i64.const 0
i64.store offset=120
local.get 1
i64.const 0
i64.store offset=136
local.get 1
i64.const 0
i64.store offset=160
local.get 1
i32.const 0
i32.store offset=204
local.get 1
local.get 0
i64.load
i64.store offset=144
local.get 1
local.get 0
i64.load offset=8
i64.store offset=152
local.get 1
local.get 0
i64.load offset=16
i64.store offset=168
local.get 1
local.get 0
i32.load offset=24
i32.store offset=176
local.get 1
local.get 0
i64.load offset=28 align=4
i64.store offset=180 align=4
local.get 1
local.get 0
i32.load offset=36
i32.store offset=188
local.get 1
local.get 0
i64.load offset=56
i64.store offset=208
local.get 1
local.get 0
i64.load offset=64
i64.store offset=216
local.get 1
local.get 0
i32.load offset=80
i32.store offset=200
local.get 1
local.get 0
i64.load offset=72
i64.store offset=192
local.get 1
i32.const 16
i32.add
local.get 1
i32.const 120
i32.add
i32.const 104
memory.copy
local.get 1
local.get 0
i32.load offset=48
i32.store offset=8
local.get 1
local.get 0
i64.load offset=40 align=4
i64.store
local.get 1
i32.const 16
i32.add
local.get 1
call 40
local.set 0
local.get 1
i32.const 224
i32.add
global.set 0
local.get 0
)
(func (;60;) (type 6) (param i32)
call 14
)
(func (;61;) (type 17) (param i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 128
i32.sub
local.tee 15
global.set 0
local.get 15
local.get 2
i32.store offset=124
local.get 15
local.get 1
i32.store offset=120
local.get 15
local.get 0
i32.store offset=116
local.get 15
local.get 4
i32.store offset=112
local.get 15
local.get 3
i32.store offset=108
local.get 15
i32.const 0
i32.store16 offset=97 align=1
local.get 15
local.get 6
i32.store8 offset=96
local.get 15
i32.const 0
i32.store8 offset=99
local.get 15
local.get 8
i32.store offset=104
local.get 15
local.get 7
i32.store offset=100
local.get 15
i32.const 0
i32.store16 offset=85 align=1
local.get 15
local.get 9
i32.store8 offset=84
local.get 15
i32.const 0
i32.store8 offset=87
local.get 15
local.get 11
i32.store offset=92
local.get 15
local.get 10
i32.store offset=88
local.get 15
i32.const 0
i32.store16 offset=73 align=1
local.get 15
local.get 12
i32.store8 offset=72
local.get 15
i32.const 0
i32.store8 offset=75
local.get 15
local.get 13
i32.store offset=76
local.get 15
local.get 14
i32.store offset=80
local.get 15
local.get 11
i32.store offset=24
local.get 15
local.get 14
i32.store offset=8
local.get 15
local.get 15
i64.load offset=116 align=4
i64.store offset=56
local.get 15
local.get 15
i32.load offset=124
i32.store offset=64
local.get 15
local.get 15
i64.load offset=108 align=4
i64.store offset=48
local.get 15
local.get 15
i64.load offset=96 align=4
i64.store offset=32
local.get 15
local.get 15
i32.load offset=104
i32.store offset=40
local.get 15
local.get 15
i64.load offset=84 align=4
i64.store offset=16
local.get 15
local.get 15
i64.load offset=72 align=4
i64.store
local.get 15
i32.const 56
i32.add
local.get 15
i32.const 48
i32.add
local.get 5
local.get 15
i32.const 32
i32.add
local.get 15
i32.const 16
i32.add
local.get 15
call 44
local.set 11
local.get 15
i32.const 128
i32.add
global.set 0
local.get 11
)
(func (;62;) (type 6) (param i32)
call 14
)
(func (;63;) (type 8) (param i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 4
global.set 0
local.get 4
i32.const 13
i32.store offset=12
local.get 4
i32.const 65933
i32.store offset=8
local.get 4
local.get 4
i64.load offset=8 align=4
i64.store
local.get 4
call 22
local.set 5
local.get 4
i32.const 16
i32.add
global.set 0
local.get 5
)
(func (;64;) (type 6) (param i32)
call 14
)
(func (;65;) (type 3) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 13
i32.store offset=12
local.get 2
i32.const 65933
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 22
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;66;) (type 6) (param i32)
call 14
)
(func (;67;) (type 3) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 13
i32.store offset=12
local.get 2
i32.const 65933
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 22
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;68;) (type 6) (param i32)
call 14
)
(func (;69;) (type 8) (param i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 4
global.set 0
local.get 4
i32.const 13
i32.store offset=12
local.get 4
i32.const 65933
i32.store offset=8
local.get 4
local.get 4
i64.load offset=8 align=4
i64.store
local.get 4
call 22
local.set 5
local.get 4
i32.const 16
i32.add
global.set 0
local.get 5
)
(func (;70;) (type 6) (param i32)
call 14
)
(func (;71;) (type 3) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 13
i32.store offset=12
local.get 2
i32.const 65933
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 22
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;72;) (type 6) (param i32)
call 14
)
(func (;73;) (type 9) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 13
i32.store offset=12
local.get 0
i32.const 65933
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 22
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;74;) (type 6) (param i32)
call 14
)
(func (;75;) (type 18) (param i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 5
global.set 0
local.get 5
i32.const 13
i32.store offset=12
local.get 5
i32.const 65933
i32.store offset=8
local.get 5
local.get 5
i64.load offset=8 align=4
i64.store
local.get 5
call 21
local.set 6
local.get 5
i32.const 16
i32.add
global.set 0
local.get 6
)
(func (;76;) (type 6) (param i32)
call 14
)
(func (;77;) (type 3) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 13
i32.store offset=12
local.get 2
i32.const 65933
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 21
local.set 3
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;78;) (type 6) (param i32)
call 14
)
(func (;79;) (type 19) (param i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 14
global.set 0
local.get 14
i32.const 13
i32.store offset=12
local.get 14
i32.const 65933
i32.store offset=8
local.get 14
local.get 14
i64.load offset=8 align=4
i64.store
local.get 14
call 21
local.set 15
local.get 14
i32.const 16
i32.add
global.set 0
local.get 15
)
(func (;80;) (type 6) (param i32)
call 14
)
(func (;81;) (type 20) (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 16
global.set 0
local.get 16
i32.const 13
i32.store offset=12
local.get 16
i32.const 65933
i32.store offset=8
local.get 16
local.get 16
i64.load offset=8 align=4
i64.store
local.get 16
call 21
local.set 17
local.get 16
i32.const 16
i32.add
global.set 0
local.get 17
)
(func (;82;) (type 6) (param i32)
call 14
)
(func (;83;) (type 21) (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f64) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 15
global.set 0
local.get 15
i32.const 13
i32.store offset=12
local.get 15
i32.const 65933
i32.store offset=8
local.get 15
local.get 15
i64.load offset=8 align=4
i64.store
local.get 15
call 21
local.set 16
local.get 15
i32.const 16
i32.add
global.set 0
local.get 16
)
(func (;84;) (type 7)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
block ;; label = @1
i32.const 65611
call 85
br_if 0 (;@1;)
block ;; label = @2
block ;; label = @3
i32.const 65625
call 85
br_if 0 (;@3;)
i32.const -104
local.set 1
br 1 (;@2;)
end
local.get 0
i32.const 0
i32.store offset=12
loop ;; label = @3
local.get 0
local.get 0
i32.load offset=12
i32.const 1
i32.add
i32.store offset=12
br 0 (;@3;)
end
end
block ;; label = @2
loop ;; label = @3
local.get 1
i32.const 66200
i32.add
i32.load
call 85
br_if 1 (;@2;)
local.get 1
i32.const 4
i32.add
local.tee 1
i32.eqz
br_if 2 (;@1;)
br 0 (;@3;)
end
end
local.get 0
i32.const 16
i32.add
global.set 0
return
end
unreachable
)
(func (;85;) (type 0) (param i32) (result i32)
(local i32 i32 i32 i32)
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 0
i32.load8_u
local.tee 1
br_if 0 (;@3;)
i32.const 0
local.set 2
br 1 (;@2;)
end
local.get 0
i32.const 1
i32.add
local.set 3
i32.const 0
local.set 4
i32.const 0
local.set 0
loop ;; label = @3
local.get 0
i32.const 66262
i32.add
i32.load8_u
local.get 1
i32.const 255
i32.and
i32.ne
br_if 2 (;@1;)
local.get 3
local.get 0
i32.add
local.set 1
local.get 0
i32.const 1
i32.add
local.tee 2
local.set 0
local.get 1
i32.load8_u
local.tee 1
br_if 0 (;@3;)
end
i32.const 1
local.set 4
local.get 2
i32.const 24
i32.eq
br_if 1 (;@1;)
end
local.get 2
i32.load8_u offset=66262
i32.const 46
i32.eq
local.set 4
end
local.get 4
)
(func (;86;) (type 7)
block ;; label = @1
i32.const 65692
call 85
i32.eqz
br_if 0 (;@1;)
unreachable
end
)
(func (;87;) (type 7)
block ;; label = @1
i32.const 65802
call 85
i32.eqz
br_if 0 (;@1;)
unreachable
end
)
(func (;88;) (type 2) (param i32 i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 128
i32.sub
local.tee 3
global.set 0
block ;; label = @1
i32.const 65745
call 85
br_if 0 (;@1;)
block ;; label = @2
i32.const 65829
call 85
i32.eqz
br_if 0 (;@2;)
local.get 3
i32.const 0
i32.store offset=124
loop ;; label = @3
local.get 3
local.get 3
i32.load offset=124
i32.const 1
i32.add
i32.store offset=124
br 0 (;@3;)
end
end
block ;; label = @2
i32.const 65927
call 85
i32.eqz
br_if 0 (;@2;)
i32.const 1000000
local.set 4
loop ;; label = @3
local.get 3
i32.const 4
i32.store offset=120
local.get 3
i32.const 65740
i32.store offset=116
local.get 3
i32.const 0
i64.load offset=66200 align=4
i64.store offset=72
local.get 3
local.get 3
i64.load offset=116 align=4
i64.store offset=64
i32.const 2
i32.const 23
local.get 3
i32.const 72
i32.add
local.get 3
i32.const 64
i32.add
call 30
local.get 4
i32.const -1
i32.add
local.tee 4
br_if 0 (;@3;)
end
end
block ;; label = @2
i32.const 65911
call 85
i32.eqz
br_if 0 (;@2;)
local.get 3
i32.const 108
i32.add
i32.const 1048576
call 89
local.get 3
i32.const 0
i64.load offset=66200 align=4
i64.store offset=56
local.get 3
local.get 3
i64.load offset=108 align=4
i64.store offset=48
i32.const 2
i32.const 23
local.get 3
i32.const 56
i32.add
local.get 3
i32.const 48
i32.add
call 30
local.get 3
i32.const 19
i32.store offset=104
local.get 3
i32.const 65861
i32.store offset=100
local.get 3
i32.const 0
i64.load offset=66200 align=4
i64.store offset=40
local.get 3
local.get 3
i64.load offset=100 align=4
i64.store offset=32
i32.const 2
i32.const 23
local.get 3
i32.const 40
i32.add
local.get 3
i32.const 32
i32.add
call 30
end
block ;; label = @2
i32.const 65891
call 85
i32.eqz
br_if 0 (;@2;)
block ;; label = @3
i32.const 0
i32.load offset=67060
local.tee 4
br_if 0 (;@3;)
i32.const 3201
memory.grow
local.tee 4
i32.const -1
i32.eq
br_if 2 (;@1;)
i32.const 0
local.get 4
i32.const 16
i32.shl
local.tee 4
i32.store offset=67060
end
local.get 4
i32.const 209715200
call 90
local.get 3
i32.const 209715200
i32.store offset=96
local.get 3
local.get 4
i32.store offset=92
local.get 3
i32.const 0
i64.load offset=66200 align=4
i64.store offset=24
local.get 3
local.get 3
i64.load offset=92 align=4
i64.store offset=16
i32.const 2
i32.const 23
local.get 3
i32.const 24
i32.add
local.get 3
i32.const 16
i32.add
call 30
end
block ;; label = @2
i32.const 65791
call 85
i32.eqz
br_if 0 (;@2;)
block ;; label = @3
i32.const 0
i32.load offset=67060
local.tee 4
br_if 0 (;@3;)
i32.const 3841
memory.grow
local.tee 4
i32.const -1
i32.eq
br_if 2 (;@1;)
i32.const 0
local.get 4
i32.const 16
i32.shl
local.tee 4
i32.store offset=67060
end
local.get 4
i32.const 251658240
call 90
end
block ;; label = @2
i32.const 65713
call 85
i32.eqz
br_if 0 (;@2;)
i32.const 0
i32.load offset=67056
i32.const 14
i32.gt_u
br_if 0 (;@2;)
loop ;; label = @3
i32.const 257
memory.grow
local.tee 4
i32.const -1
i32.eq
br_if 2 (;@1;)
local.get 4
i32.const 16
i32.shl
i32.const 16777216
call 90
i32.const 0
i32.const 0
i32.load offset=67056
i32.const 1
i32.add
local.tee 4
i32.store offset=67056
local.get 4
i32.const 15
i32.lt_u
br_if 0 (;@3;)
end
end
block ;; label = @2
i32.const 65680
call 85
i32.eqz
br_if 0 (;@2;)
local.get 3
i32.const 17
i32.store offset=88
local.get 3
i32.const 66057
i32.store offset=84
local.get 3
i32.const 0
i64.load offset=66208 align=4
i64.store
local.get 3
local.get 3
i64.load offset=84 align=4
i64.store offset=8
i32.const 3
i32.const 23
local.get 3
i32.const 8
i32.add
local.get 3
call 30
end
local.get 3
i32.const 128
i32.add
global.set 0
i32.const 0
return
end
unreachable
)
(func (;89;) (type 5) (param i32 i32)
(local i32)
block ;; label = @1
local.get 1
i32.const 8
call 13
local.tee 2
br_if 0 (;@1;)
unreachable
end
local.get 2
i32.const 120
local.get 1
call 1
drop
local.get 0
local.get 1
i32.store offset=4
local.get 0
local.get 2
i32.store
)
(func (;90;) (type 5) (param i32 i32)
block ;; label = @1
local.get 1
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const 120
local.get 1
memory.fill
end
)
(func (;91;) (type 22) (param i64 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 64
i32.sub
local.tee 2
global.set 0
block ;; label = @1
i32.const 65758
call 85
i32.eqz
br_if 0 (;@1;)
local.get 2
i32.const 0
i32.store offset=60
loop ;; label = @2
local.get 2
local.get 2
i32.load offset=60
i32.const 1
i32.add
i32.store offset=60
br 0 (;@2;)
end
end
block ;; label = @1
i32.const 65821
call 85
i32.eqz
br_if 0 (;@1;)
local.get 1
i32.const 1
i32.const 0
i32.load offset=66288
call_indirect (type 0)
i32.store offset=4
end
block ;; label = @1
i32.const 65817
call 85
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
i32.const 16
memory.grow
i32.const -1
i32.ne
br_if 0 (;@2;)
end
unreachable
end
block ;; label = @1
i32.const 65750
call 85
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
i32.const 16
memory.grow
drop
br 0 (;@2;)
end
end
block ;; label = @1
block ;; label = @2
i32.const 65554
call 85
i32.eqz
br_if 0 (;@2;)
local.get 2
i32.const 12
i32.store offset=56
local.get 2
i32.const 65564
i32.store offset=52
local.get 2
local.get 2
i64.load offset=52 align=4
i64.store offset=24
i32.const 100000
local.get 2
i32.const 24
i32.add
local.get 1
call 92
i32.const 1
local.set 3
br 1 (;@1;)
end
block ;; label = @2
i32.const 65900
call 85
i32.eqz
br_if 0 (;@2;)
local.get 2
i32.const 44
i32.add
i32.const 1048576
call 89
local.get 2
local.get 2
i64.load offset=44 align=4
i64.store offset=16
local.get 0
i32.wrap_i64
local.get 2
i32.const 16
i32.add
local.get 1
call 92
i32.const 1
local.set 3
br 1 (;@1;)
end
block ;; label = @2
i32.const 65881
call 85
br_if 0 (;@2;)
i32.const 0
local.set 3
br 1 (;@1;)
end
local.get 2
i32.const 36
i32.add
i32.const 17825792
call 89
local.get 2
local.get 2
i64.load offset=36 align=4
i64.store offset=8
i32.const 1
local.set 3
i32.const 1
local.get 2
i32.const 8
i32.add
local.get 1
call 92
end
local.get 2
i32.const 64
i32.add
global.set 0
local.get 3
)
(func (;92;) (type 11) (param i32 i32 i32)
(local i32 i32 i32 i32)
global.get 0
i32.const 144
i32.sub
local.tee 3
global.set 0
block ;; label = @1
local.get 0
i32.const 136
i32.mul
i32.const 8
call 13
local.tee 4
i32.eqz
br_if 0 (;@1;)
local.get 2
local.get 4
i32.store
block ;; label = @2
local.get 0
i32.eqz
br_if 0 (;@2;)
i32.const 0
local.set 4
local.get 0
local.set 5
loop ;; label = @3
local.get 2
i32.load
local.set 6
local.get 3
local.get 1
i64.load align=4
i64.store
local.get 3
i32.const 8
i32.add
local.get 3
call 31
local.get 6
local.get 4
i32.add
local.get 3
i32.const 8
i32.add
i32.const 136
memory.copy
local.get 4
i32.const 136
i32.add
local.set 4
local.get 5
i32.const -1
i32.add
local.tee 5
br_if 0 (;@3;)
end
end
local.get 2
local.get 0
i32.store offset=4
local.get 3
i32.const 144
i32.add
global.set 0
return
end
unreachable
)
(func (;93;) (type 0) (param i32) (result i32)
local.get 0
i32.const 1
i32.add
i32.const 0
i32.load offset=66288
call_indirect (type 0)
local.get 0
i32.xor
)
(func (;94;) (type 0) (param i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 1
global.set 0
block ;; label = @1
i32.const 65554
call 85
local.tee 2
i32.eqz
br_if 0 (;@1;)
local.get 1
i32.const 12
i32.store offset=12
local.get 1
i32.const 65564
i32.store offset=8
local.get 1
local.get 1
i64.load offset=8 align=4
i64.store
i32.const 100000
local.get 1
local.get 0
call 92
end
local.get 1
i32.const 16
i32.add
global.set 0
local.get 2
)
(func (;95;) (type 3) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 176
i32.sub
local.tee 2
global.set 0
block ;; label = @1
block ;; label = @2
block ;; label = @3
block ;; label = @4
i32.const 65639
call 85
i32.eqz
br_if 0 (;@4;)
block ;; label = @5
i32.const 0
i32.load offset=67060
local.tee 3
br_if 0 (;@5;)
i32.const 1601
memory.grow
local.tee 3
i32.const -1
i32.eq
br_if 4 (;@1;)
i32.const 0
local.get 3
i32.const 16
i32.shl
local.tee 3
i32.store offset=67060
end
local.get 3
i32.const 104857600
call 90
local.get 2
i32.const 104857600
i32.store offset=36
local.get 2
local.get 3
i32.store offset=32
local.get 2
local.get 2
i64.load offset=32 align=4
i64.store offset=16
local.get 2
i32.const 40
i32.add
local.get 2
i32.const 16
i32.add
call 31
local.get 1
local.get 2
i32.const 40
i32.add
i32.const 136
memory.copy
br 1 (;@3;)
end
block ;; label = @4
i32.const 65881
call 85
br_if 0 (;@4;)
i32.const 0
local.set 3
br 2 (;@2;)
end
local.get 2
i32.const 24
i32.add
i32.const 17825792
call 89
local.get 2
local.get 2
i64.load offset=24 align=4
i64.store offset=8
local.get 2
i32.const 40
i32.add
local.get 2
i32.const 8
i32.add
call 31
local.get 1
local.get 2
i32.const 40
i32.add
i32.const 136
memory.copy
end
i32.const 1
local.set 3
end
local.get 2
i32.const 176
i32.add
global.set 0
local.get 3
return
end
unreachable
)
(func (;96;) (type 6) (param i32)
block ;; label = @1
i32.const 65974
call 85
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const 4
i32.store offset=20
local.get 0
i32.const 65536
i32.store offset=16
end
block ;; label = @1
i32.const 65728
call 85
i32.eqz
br_if 0 (;@1;)
local.get 0
i64.const 279172874224
i64.store offset=16
end
block ;; label = @1
i32.const 65541
call 85
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const 9
i32.store8 offset=24
end
block ;; label = @1
i32.const 65668
call 85
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const 0
i32.store offset=57 align=1
local.get 0
i32.const 1
i32.store8 offset=56
local.get 0
i32.const 0
i32.store offset=60 align=1
local.get 0
i32.const 0
i32.store offset=81 align=1
local.get 0
i32.const 1
i32.store8 offset=80
local.get 0
i64.const 9221120237041090560
i64.store offset=64
local.get 0
i32.const 0
i32.store offset=84 align=1
local.get 0
i64.const 9218868437227405312
i64.store offset=88
end
block ;; label = @1
i32.const 65658
call 85
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const 12
i32.store offset=40
local.get 0
i32.const 65577
i32.store offset=36
local.get 0
i32.const 24
i32.store offset=20
local.get 0
i32.const 66216
i32.store offset=16
local.get 0
i32.const 9
i32.store offset=12
local.get 0
i32.const 66047
i32.store offset=8
local.get 0
i32.const 0
i32.store offset=4
local.get 0
i32.const 66074
i32.store
end
)
(data (;0;) (i32.const 65536) "\ff\fe\c0\80\00bad_category\00liar_many\00one too many\00last Tuesday\00stored one row\00guest\00trap_at_start\00spin_at_start\00liar_giant\00default\00odd_texts\00odd_numbers\00log_escapes\00trap_in_capabilities\00fill_in_pieces\00bad_pointer\00drip\00trap\00hog_and_spin\00the plugin's memory is full\00fill\00until\00trap_in_health\00hog\00recurse\00spin_in_store\00guest::store\00none\00after the large one\00liar_huge\00log_huge\00liar_large\00log_large\00since\00flood\00not-supported\00\1b[31mred\1b[0m\0aerror: forged\00bad_utf8\000.1.0\00*\00 is not an RFC 3339 time such as 2026-01-31T12:00:00Z: \00\1b[2Jkey\0d\0a\00guest::\1b]0;title\07\00\00\c7\01\01\007\00\00\00\00\00\00\00\1a\02\01\00\00\00\00\00@\01\01\00\d1\00\01\00K\00\01\00\9c\00\01\00\0a\01\01\00\de\00\01\00Y\00\01\00%\01\01\00\1d\01\01\00\19\01\01\00\d6\00\01\00\87\01\01\00w\01\01\00\90\00\01\00\12\00\01\00l\01\01\00Y\01\01\00\b6\01\01\00\c0\00\01\00\05\00\01\00\84\00\01\00z\00\01\00\ff\00\01\00\b1\00\01\00g\00\01\00c\01\01\003\01\01\00\0c\00\00\00\9b\01\01\00\1a\00\00\00nul\00nul \1b[31mred\1b[0m \e2\80\ae\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00FAULT:none....................\00")
(data (;1;) (i32.const 66288) "\01\00\00\00")
)
(core module (;1;)
(type (;0;) (func (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(table (;0;) 1 1 funcref)
(export "0" (func 0))
(export "$imports" (table 0))
(func (;0;) (type 0) (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)
local.get 0
local.get 1
local.get 2
local.get 3
local.get 4
local.get 5
local.get 6
local.get 7
local.get 8
local.get 9
local.get 10
local.get 11
local.get 12
i32.const 0
call_indirect (type 0)
)
)
(core instance (;0;) (instantiate 1))
(type (;3;) (variant (case "core") (case "daily") (case "conversation") (case "custom" string)))
(type (;4;) (option string))
(type (;5;) (option f64))
(type (;6;) (record (field "id" string) (field "key" string) (field "content" string) (field "category" 3) (field "timestamp" string) (field "session-id" 4) (field "score" 5) (field "namespace" string) (field "importance" 5) (field "superseded-by" 4) (field "agent-alias" 4) (field "agent-id" 4)))
(type (;7;) (option 3))
(type (;8;) (record (field "namespace" 4) (field "session-id" 4) (field "category" 7) (field "since" 4) (field "until" 4)))
(type (;9;) (record (field "role" string) (field "content" string) (field "name" 4)))
(type (;10;) (list string))
(type (;11;) (variant (case "all") (case "some" 10)))
(type (;12;) (flags "get-for-agent" "purge-namespace" "purge-session" "purge-session-for-agent" "purge-agent" "reindex" "store-procedural" "ensure-agent-uuid" "recall-namespaced" "export-entries" "store-with-metadata"))
(alias core export 0 "0" (core func (;0;)))
(core instance (;1;)
(export "log-record" (func 0))
)
(core instance (;2;) (instantiate 0
(with "zeroclaw:plugin/logging@0.1.0" (instance 1))
)
)
(alias core export 2 "memory" (core memory (;0;)))
(core module (;2;)
(type (;0;) (func (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(type (;1;) (func))
(import "actual" "0" (func (;0;) (type 0) (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(import "main" "_initialize" (func (;1;) (type 1)))
(import "shim" "$imports" (table (;0;) 1 1 funcref))
(start 1)
(elem (;0;) (i32.const 0) func 0)
)
(alias export 1 "log-record" (func (;0;)))
(core func (;1;) (canon lower (func 0) (memory 0) string-encoding=utf8))
(core instance (;3;)
(export "0" (func 1))
)
(core instance (;4;) (instantiate 2
(with "actual" (instance 3))
(with "main" (instance 2))
(with "shim" (instance 0))
)
)
(type (;13;) (func (result string)))
(alias core export 2 "zeroclaw:plugin/plugin-info@0.1.0#plugin-name" (core func (;2;)))
(func (;1;) (type 13) (canon lift (core func 2) (memory 0) string-encoding=utf8))
(alias core export 2 "zeroclaw:plugin/plugin-info@0.1.0#plugin-version" (core func (;3;)))
(func (;2;) (type 13) (canon lift (core func 3) (memory 0) string-encoding=utf8))
(component (;0;)
(type (;0;) (func (result string)))
(import "import-func-plugin-name" (func (;0;) (type 0)))
(import "import-func-plugin-version" (func (;1;) (type 0)))
(type (;1;) (func (result string)))
(export (;2;) "plugin-name" (func 0) (func (type 1)))
(export (;3;) "plugin-version" (func 1) (func (type 1)))
)
(instance (;2;) (instantiate 0
(with "import-func-plugin-name" (func 1))
(with "import-func-plugin-version" (func 2))
)
)
(export (;3;) "zeroclaw:plugin/plugin-info@0.1.0" (instance 2))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#name" (core func (;4;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#name" (core func (;5;)))
(func (;3;) (type 13) (canon lift (core func 4) (memory 0) string-encoding=utf8 (post-return 5)))
(type (;14;) (func (result 12)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (core func (;6;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (core func (;7;)))
(func (;4;) (type 14) (canon lift (core func 6) (post-return 7)))
(type (;15;) (result (error string)))
(type (;16;) (func (param "key" string) (param "content" string) (param "category" 3) (param "session-id" 4) (result 15)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#store-entry" (core func (;8;)))
(alias core export 2 "cabi_realloc" (core func (;9;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-entry" (core func (;10;)))
(func (;5;) (type 16) (canon lift (core func 8) (memory 0) (realloc 9) string-encoding=utf8 (post-return 10)))
(type (;17;) (list 6))
(type (;18;) (result 17 (error string)))
(type (;19;) (func (param "query" string) (param "limit" u64) (param "session-id" 4) (param "since" 4) (param "until" 4) (result 18)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#recall" (core func (;11;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#recall" (core func (;12;)))
(func (;6;) (type 19) (canon lift (core func 11) (memory 0) (realloc 9) string-encoding=utf8 (post-return 12)))
(type (;20;) (option 6))
(type (;21;) (result 20 (error string)))
(type (;22;) (func (param "key" string) (result 21)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#get" (core func (;13;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#get" (core func (;14;)))
(func (;7;) (type 22) (canon lift (core func 13) (memory 0) (realloc 9) string-encoding=utf8 (post-return 14)))
(type (;23;) (func (param "category" 7) (param "session-id" 4) (result 18)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#list-entries" (core func (;15;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#list-entries" (core func (;16;)))
(func (;8;) (type 23) (canon lift (core func 15) (memory 0) (realloc 9) string-encoding=utf8 (post-return 16)))
(type (;24;) (result bool (error string)))
(type (;25;) (func (param "key" string) (result 24)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#forget" (core func (;17;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#forget" (core func (;18;)))
(func (;9;) (type 25) (canon lift (core func 17) (memory 0) (realloc 9) string-encoding=utf8 (post-return 18)))
(type (;26;) (func (param "key" string) (param "agent-id" string) (result 24)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#forget-for-agent" (core func (;19;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#forget-for-agent" (core func (;20;)))
(func (;10;) (type 26) (canon lift (core func 19) (memory 0) (realloc 9) string-encoding=utf8 (post-return 20)))
(type (;27;) (result u64 (error string)))
(type (;28;) (func (result 27)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#count" (core func (;21;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#count" (core func (;22;)))
(func (;11;) (type 28) (canon lift (core func 21) (memory 0) string-encoding=utf8 (post-return 22)))
(type (;29;) (func (result bool)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#health-check" (core func (;23;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#health-check" (core func (;24;)))
(func (;12;) (type 29) (canon lift (core func 23) (post-return 24)))
(type (;30;) (func (param "key" string) (param "content" string) (param "category" 3) (param "session-id" 4) (param "namespace" 4) (param "importance" 5) (param "agent-id" 4) (result 15)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#store-with-agent" (core func (;25;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-agent" (core func (;26;)))
(func (;13;) (type 30) (canon lift (core func 25) (memory 0) (realloc 9) string-encoding=utf8 (post-return 26)))
(type (;31;) (func (param "agents" 11) (param "query" string) (param "limit" u64) (param "session-id" 4) (param "since" 4) (param "until" 4) (result 18)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#recall-for-agents" (core func (;27;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-for-agents" (core func (;28;)))
(func (;14;) (type 31) (canon lift (core func 27) (memory 0) (realloc 9) string-encoding=utf8 (post-return 28)))
(type (;32;) (func (param "key" string) (param "agent-id" string) (result 21)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#get-for-agent" (core func (;29;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#get-for-agent" (core func (;30;)))
(func (;15;) (type 32) (canon lift (core func 29) (memory 0) (realloc 9) string-encoding=utf8 (post-return 30)))
(type (;33;) (func (param "namespace" string) (result 27)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#purge-namespace" (core func (;31;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-namespace" (core func (;32;)))
(func (;16;) (type 33) (canon lift (core func 31) (memory 0) (realloc 9) string-encoding=utf8 (post-return 32)))
(type (;34;) (func (param "session-id" string) (result 27)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#purge-session" (core func (;33;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session" (core func (;34;)))
(func (;17;) (type 34) (canon lift (core func 33) (memory 0) (realloc 9) string-encoding=utf8 (post-return 34)))
(type (;35;) (func (param "session-id" string) (param "agent-id" string) (result 27)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (core func (;35;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (core func (;36;)))
(func (;18;) (type 35) (canon lift (core func 35) (memory 0) (realloc 9) string-encoding=utf8 (post-return 36)))
(type (;36;) (func (param "agent-alias" string) (result 27)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#purge-agent" (core func (;37;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-agent" (core func (;38;)))
(func (;19;) (type 36) (canon lift (core func 37) (memory 0) (realloc 9) string-encoding=utf8 (post-return 38)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#reindex" (core func (;39;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#reindex" (core func (;40;)))
(func (;20;) (type 28) (canon lift (core func 39) (memory 0) string-encoding=utf8 (post-return 40)))
(type (;37;) (list 9))
(type (;38;) (func (param "messages" 37) (param "session-id" 4) (result 15)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#store-procedural" (core func (;41;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-procedural" (core func (;42;)))
(func (;21;) (type 38) (canon lift (core func 41) (memory 0) (realloc 9) string-encoding=utf8 (post-return 42)))
(type (;39;) (result string (error string)))
(type (;40;) (func (param "alias" string) (result 39)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (core func (;43;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (core func (;44;)))
(func (;22;) (type 40) (canon lift (core func 43) (memory 0) (realloc 9) string-encoding=utf8 (post-return 44)))
(type (;41;) (func (param "namespace" string) (param "query" string) (param "limit" u64) (param "session-id" 4) (param "since" 4) (param "until" 4) (result 18)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#recall-namespaced" (core func (;45;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-namespaced" (core func (;46;)))
(func (;23;) (type 41) (canon lift (core func 45) (memory 0) (realloc 9) string-encoding=utf8 (post-return 46)))
(type (;42;) (func (param "filter" 8) (result 18)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#export-entries" (core func (;47;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#export-entries" (core func (;48;)))
(func (;24;) (type 42) (canon lift (core func 47) (memory 0) (realloc 9) string-encoding=utf8 (post-return 48)))
(type (;43;) (func (param "key" string) (param "content" string) (param "category" 3) (param "session-id" 4) (param "namespace" 4) (param "importance" 5) (result 15)))
(alias core export 2 "zeroclaw:plugin/memory@0.1.0#store-with-metadata" (core func (;49;)))
(alias core export 2 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-metadata" (core func (;50;)))
(func (;25;) (type 43) (canon lift (core func 49) (memory 0) (realloc 9) string-encoding=utf8 (post-return 50)))
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
(instance (;4;) (instantiate 1
(with "import-func-name" (func 3))
(with "import-func-get-memory-capabilities" (func 4))
(with "import-func-store-entry" (func 5))
(with "import-func-recall" (func 6))
(with "import-func-get" (func 7))
(with "import-func-list-entries" (func 8))
(with "import-func-forget" (func 9))
(with "import-func-forget-for-agent" (func 10))
(with "import-func-count" (func 11))
(with "import-func-health-check" (func 12))
(with "import-func-store-with-agent" (func 13))
(with "import-func-recall-for-agents" (func 14))
(with "import-func-get-for-agent" (func 15))
(with "import-func-purge-namespace" (func 16))
(with "import-func-purge-session" (func 17))
(with "import-func-purge-session-for-agent" (func 18))
(with "import-func-purge-agent" (func 19))
(with "import-func-reindex" (func 20))
(with "import-func-store-procedural" (func 21))
(with "import-func-ensure-agent-uuid" (func 22))
(with "import-func-recall-namespaced" (func 23))
(with "import-func-export-entries" (func 24))
(with "import-func-store-with-metadata" (func 25))
(with "import-type-memory-capabilities" (type 12))
(with "import-type-memory-category" (type 3))
(with "import-type-memory-entry" (type 6))
(with "import-type-agent-filter" (type 11))
(with "import-type-procedural-message" (type 9))
(with "import-type-export-filter" (type 8))
)
)
(export (;5;) "zeroclaw:plugin/memory@0.1.0" (instance 4))
)

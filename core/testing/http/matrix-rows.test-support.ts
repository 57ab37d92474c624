import { hostname } from "node:os";
import { assets } from "../../features/web-ui/routes.ts";
import type { Grants, MatrixRow, MatrixSubject } from "./rights-row.test-support.ts";

/** A trigger of the type `default.counted`, with parameters of its own for each fresh name. */
export const toTrigger = (freshName: string) => ({
	type: "default.counted",
	parameters: { number: Number(freshName.slice("fresh".length)) },
});
const at = (path: string, body?: unknown) => () => ({ path, ...(body !== undefined && { body }) });
const global = (permission: string): Grants => [{ permission_types: [permission] }];
const on = (uid: string, ...types: readonly string[]): Grants => [{ resource_uid: uid, permission_types: types }];
const speak = "action:default:speak";
const viewer = on(speak, "action_view");
const runner = "runner_type:speak";
const item = "key_value_pair:svckv.system:";
const rule = "rule:default:watch";
export const ruleBody = (name: string) => ({
	name,
	pack: "default",
	trigger: { type: "core.svc.generic.inquiry" },
	action: { ref: "default.speak" },
});
const policy = "policy:default:one";
export const policyBody = (name: string) => ({
	name,
	pack: "default",
	resource_ref: `default.${name}`,
	policy_type: "action.concurrency",
	parameters: { threshold: 1 },
});
const alias = "action_alias:default:say";
export const aliasBody = (name: string) => ({
	name,
	pack: "default",
	action_ref: "default.speak",
	formats: [`${name} {{ pin }}`],
	immutable_parameters: name === "say" ? {} : { pin: "a secret pin" },
});
const said = { command: "say word", source_channel: "ops" };
export const pollBody = {
	...{ instance: "0".repeat(32), name: "matrix", hostname: "matrix", pid: 1, version: "0.1.0", draining: false, wait: 0 },
	...{ labels: ["matrix"], runners: ["speak"], places: 1, free: 1, jobs: [] },
};
const absentJob = "/workers/jobs/000000000000000000000000";
const stale = { fence: "0".repeat(32), sequence: 1, pieces: [] };
const execution =
	(suffix = "") =>
	({ execution: id }: MatrixSubject) => ({ path: `/executions/${id}${suffix}` });
const action = (prefix = "") => at(`/actions/${prefix}default.speak`);

/** A row for every route, by component, method and path. Keys are granted by hash, which no configuration knows beforehand. */
export const matrixRows: Readonly<Record<string, MatrixRow>> = {
	"api GET /openapi.json": { ok: 200, request: at("/openapi.json") },
	"api GET /docs": { ok: 200, request: at("/docs") },
	"api GET /web/:file": { ok: 200, request: () => ({ path: `/web/${assets.names[0]}` }) },
	"api GET /": { ok: 200, request: at("/") },
	"api GET /user": { ok: 200, request: at("/user") },
	"auth POST /tokens": { ok: 401, others: 401, request: at("/tokens", {}) },
	"auth GET /sso": { ok: 200, others: 200, request: at("/sso") },
	"auth POST /sso/request": { ok: 404, others: 404, request: at("/sso/request", {}) },
	"auth GET /sso/callback": { ok: 404, others: 404, request: at("/sso/callback?code=x&state=y") },
	"auth GET /sso/sign-out": { ok: 404, others: 404, request: at("/sso/sign-out") },
	"auth POST /sso/back-channel-logout": { ok: 404, others: 404, request: at("/sso/back-channel-logout", { logout_token: "x" }) },
	"auth POST /sso/device": { ok: 404, others: 404, request: at("/sso/device", {}) },
	"auth POST /sso/device/token": { ok: 404, others: 404, request: at("/sso/device/token", { device_code: "x" }) },
	"auth POST /tokens/validate": { ok: 200, request: at("/tokens/validate", { token: "x" }), grants: global("token_validate") },
	"auth DELETE /tokens/:token": { ok: 204, request: async ({ ownToken }) => ({ path: `/tokens/${await ownToken()}` }) },
	"api GET /executions/views/filters": {
		ok: 200,
		request: at("/executions/views/filters"),
		grants: global("execution_views_filters_list"),
	},
	"api GET /executions/:id/attribute/:name": {
		ok: 200,
		request: execution("/attribute/result"),
		grants: viewer,
		shows: { result: "asked" },
	},
	"api GET /executions/:id/result": { ok: 200, request: execution("/result"), grants: viewer, shows: { result: "asked" } },
	"api GET /executions/:id/children": { ok: 200, request: execution("/children"), grants: viewer, shows: { result: "asked" } },
	"api GET /executions": {
		ok: 200,
		request: at("/executions"),
		grants: global("execution_list"),
		shows: { result: "execution_view", payload: "trigger_instance_view", secrets: "show_secrets" },
	},
	"api POST /executions": {
		ok: 201,
		request: at("/executions", { action: "default.speak", parameters: { pin: "a secret pin" } }),
		grants: on(speak, "action_execute"),
		shows: { secrets: "show_secrets" },
	},
	"api GET /executions/:id": {
		ok: 200,
		request: execution(),
		grants: on("pack:default", "action_view"),
		shows: { result: "asked", secrets: "show_secrets" },
	},
	"api PUT /executions/:id": {
		ok: 200,
		request: async ({ newExecution }) => ({
			path: `/executions/${await newExecution()}`,
			body: { status: "succeeded", result: { said: "a result kept" } },
		}),
		grants: on(speak, "action_complete"),
		scopes: ["execution_complete"],
		shows: { result: "execution_view", secrets: "show_secrets" },
	},
	"api DELETE /executions/:id": {
		ok: 200,
		request: async ({ newExecution }) => ({ path: `/executions/${await newExecution()}` }),
		grants: on(speak, "action_execute"),
		shows: { secrets: "show_secrets" },
	},
	"api POST /executions/:id/re_run": {
		ok: 201,
		request: ({ execution: id }) => ({ path: `/executions/${id}/re_run`, body: {} }),
		grants: on(speak, "action_execute", "action_view"),
		scopes: ["execution_rerun", "execution_view"],
		shows: { secrets: "show_secrets" },
	},
	"api GET /executions/:id/output": { ok: 200, request: execution("/output"), grants: viewer, shows: { output: "asked" } },
	"api GET /executions/:id/output/lines": { ok: 200, request: execution("/output/lines"), grants: viewer, shows: { output: "asked" } },
	"stream GET /executions/:id/output": { ok: 200, request: execution("/output"), grants: viewer, shows: { output: "asked" } },
	"stream GET /stream": { ok: 200, request: at("/stream"), grants: global("stream_view") },
	"api POST /workflows/inspect": {
		ok: 200,
		request: at("/workflows/inspect", { tasks: { one: {} } }),
		grants: global("workflow_inspect"),
	},
	"api GET /workflows/:ref/graph": {
		ok: 200,
		request: at("/workflows/vault.flow/graph"),
		grants: on("action:vault:flow", "action_view"),
	},
	"api GET /executions/:id/graph": {
		ok: 200,
		request: ({ workflow }) => ({ path: `/executions/${workflow}/graph` }),
		grants: on("action:vault:flow", "action_view"),
		shows: { secrets: "show_secrets" },
	},
	"api GET /executions/:id/tasks": {
		ok: 200,
		request: ({ workflow }) => ({ path: `/executions/${workflow}/tasks` }),
		grants: on("pack:vault", "action_view"),
		shows: { secrets: "show_secrets" },
	},
	"api GET /inquiries": { ok: 200, request: at("/inquiries"), grants: global("inquiry_list") },
	"api GET /inquiries/:id": {
		ok: 400,
		request: ({ execution: id }) => ({ path: `/inquiries/${id}` }),
		grants: global("inquiry_view"),
	},
	"api PUT /inquiries/:id": {
		ok: 400,
		request: ({ execution: id }) => ({ path: `/inquiries/${id}`, body: { id, response: {} } }),
		grants: global("inquiry_respond"),
	},
	"api GET /actions/views/parameters/:ref": { ok: 200, request: action("views/parameters/"), grants: viewer },
	"api GET /actions/views/overview": { ok: 200, request: at("/actions/views/overview"), grants: global("action_list") },
	"api GET /actions/views/overview/:ref": { ok: 200, request: action("views/overview/"), grants: viewer },
	"api GET /actions/views/entry_point/:ref": { ok: 404, request: action("views/entry_point/"), grants: viewer },
	"api GET /actions": { ok: 200, request: at("/actions"), grants: global("action_list") },
	"api GET /actions/:ref": { ok: 200, request: action(), grants: viewer },
	"api POST /actions": {
		ok: 201,
		request: ({ freshName }) => ({ path: "/actions", body: { name: freshName(), runner_type: "speak" } }),
		grants: on("pack:default", "action_create"),
	},
	"api PUT /actions/:ref": {
		ok: 200,
		request: at("/actions/default.whisper", { name: "whisper", runner_type: "speak" }),
		grants: on("action:default:whisper", "action_modify"),
	},
	"api DELETE /actions/:ref": {
		ok: 204,
		request: async ({ newAction }) => ({ path: `/actions/${await newAction()}` }),
		grants: on("pack:default", "action_delete"),
	},
	"api POST /actions/:ref/clone": {
		ok: 400,
		request: ({ freshName }) => ({ path: "/actions/default.speak/clone", body: { dest_pack: "default", dest_action: freshName() } }),
		grants: [...on("pack:default", "action_create"), ...viewer],
		scopes: ["action_create", "action_view"],
	},
	"api GET /runnertypes": { ok: 200, request: at("/runnertypes"), grants: global("runner_type_list") },
	"api GET /runnertypes/:name": { ok: 200, request: at("/runnertypes/speak"), grants: on(runner, "runner_type_view") },
	"api PUT /runnertypes/:name": {
		ok: 200,
		request: at("/runnertypes/speak", { enabled: true }),
		grants: on(runner, "runner_type_modify"),
	},
	"api GET /actionalias": {
		ok: 200,
		request: at("/actionalias"),
		grants: global("action_alias_list"),
		shows: { secrets: "show_secrets" },
	},
	"api POST /actionalias/match": {
		ok: 200,
		request: at("/actionalias/match", { command: "say word" }),
		grants: global("action_alias_match"),
	},
	"api GET /actionalias/help": { ok: 200, request: at("/actionalias/help"), grants: global("action_alias_help") },
	"api GET /actionalias/:ref": {
		ok: 200,
		request: at("/actionalias/default.fixed"),
		grants: on("action_alias:default:fixed", "action_alias_view"),
		shows: { secrets: "show_secrets" },
	},
	"api POST /actionalias": {
		ok: 201,
		request: ({ freshName }) => ({ path: "/actionalias", body: aliasBody(freshName()) }),
		grants: [...on("pack:default", "action_alias_create"), ...on(speak, "action_execute")],
		scopes: ["action_alias_create", "action_execute"],
		shows: { secrets: "show_secrets" },
	},
	"api PUT /actionalias/:ref": {
		ok: 200,
		// Another description each time: to switch it only would need less.
		request: ({ freshName }) => ({ path: "/actionalias/default.say", body: { ...aliasBody("say"), description: freshName() } }),
		grants: [...on(alias, "action_alias_modify"), ...on(speak, "action_execute")],
		scopes: ["action_alias_modify", "action_execute"],
	},
	"api DELETE /actionalias/:ref": {
		ok: 204,
		request: async ({ newAlias }) => ({ path: `/actionalias/${await newAlias()}` }),
		grants: on("pack:default", "action_alias_delete"),
	},
	"api POST /aliasexecution": {
		ok: 201,
		request: at("/aliasexecution", { ...said, name: "say", format: "say {{ pin }}" }),
		grants: on(speak, "action_execute"),
	},
	"api POST /aliasexecution/match_and_execute": {
		ok: 201,
		request: at("/aliasexecution/match_and_execute", said),
		grants: on(speak, "action_execute"),
	},
	"api GET /apikeys": { ok: 200, request: at("/apikeys"), grants: global("api_key_list"), shows: { hashes: "show_secrets" } },
	"api GET /apikeys/:key": {
		ok: 200,
		request: async ({ newKey }) => ({ path: `/apikeys/${await newKey()}` }),
		grants: [],
		shows: { hashes: "show_secrets" },
	},
	"api POST /apikeys": {
		ok: 201,
		request: at("/apikeys", { scopes: ["api_key_create"] }),
		grants: global("api_key_create"),
		shows: { key: "asked" },
	},
	"api PUT /apikeys/:key": {
		ok: 200,
		request: async ({ newKey }) => ({ path: `/apikeys/${await newKey()}`, body: { scopes: ["api_key_modify"] } }),
		grants: [],
		shows: { hashes: "show_secrets" },
	},
	"api DELETE /apikeys/:key": { ok: 204, request: async ({ newKey }) => ({ path: `/apikeys/${await newKey()}` }), grants: [] },
	"api GET /packs": { ok: 200, request: at("/packs"), grants: global("pack_list") },
	"api GET /packs/:pack": { ok: 200, request: at("/packs/vault"), grants: on("pack:vault", "pack_view") },
	"api GET /packs/views/files/:pack": { ok: 200, request: at("/packs/views/files/vault"), grants: on("pack:vault", "pack_view") },
	"api GET /packs/views/file/:pack/**:path": {
		ok: 200,
		request: at("/packs/views/file/vault/actions/flow.yaml"),
		grants: on("pack:vault", "pack_view"),
	},
	"api GET /packs/views/file/:pack/icon.png": { ok: 200, request: at("/packs/views/file/vault/icon.png") },
	"api GET /packs/index": { ok: 200, request: at("/packs/index"), grants: global("pack_search") },
	"api POST /packs/index/search": { ok: 200, request: at("/packs/index/search", { pack: "disk" }), grants: global("pack_search") },
	"api GET /packs/index/health": { ok: 200, request: at("/packs/index/health"), grants: global("pack_views_index_health") },
	"api POST /packs/install": {
		ok: 202,
		request: at("/packs/install", { packs: ["/nowhere/disk"] }),
		grants: [...global("pack_install"), ...on("action:packs:install", "action_execute")],
		scopes: ["pack_install", "action_execute"],
	},
	"api POST /packs/uninstall": {
		ok: 202,
		request: at("/packs/uninstall", { packs: ["nothing"] }),
		grants: [...global("pack_uninstall"), ...on("action:packs:uninstall", "action_execute")],
		scopes: ["pack_uninstall", "action_execute"],
	},
	"api POST /packs/upgrade": {
		ok: 202,
		request: at("/packs/upgrade", { packs: ["nothing"] }),
		grants: [...global("pack_install"), ...on("action:packs:upgrade", "action_execute")],
		scopes: ["pack_install", "action_execute"],
	},
	"api POST /packs/rollback": {
		ok: 202,
		request: at("/packs/rollback", { pack: "nothing" }),
		grants: [...global("pack_install"), ...on("action:packs:rollback", "action_execute")],
		scopes: ["pack_install", "action_execute"],
	},
	"api GET /packs/views/outdated": { ok: 200, request: at("/packs/views/outdated"), grants: global("pack_search") },
	"api GET /packs/views/followed": { ok: 200, request: at("/packs/views/followed"), grants: global("pack_list") },
	"api GET /packs/views/lock": { ok: 200, request: at("/packs/views/lock"), grants: global("pack_list") },
	"api GET /configs": { ok: 200, request: at("/configs"), grants: global("pack_list"), shows: { configuration: "show_secrets" } },
	"api GET /configs/:pack": {
		ok: 200,
		request: at("/configs/vault"),
		grants: on("pack:vault", "pack_view"),
		shows: { configuration: "show_secrets" },
	},
	"api PUT /configs/:pack": {
		ok: 200,
		request: at("/configs/vault", { pin: "a configured secret" }),
		grants: global("pack_config"),
		shows: { configuration: "show_secrets" },
	},
	"api POST /packs/register": { ok: 200, request: at("/packs/register", {}), grants: global("pack_register") },
	"api GET /config_schemas": { ok: 200, request: at("/config_schemas"), grants: global("pack_list") },
	"api GET /config_schemas/:pack": { ok: 200, request: at("/config_schemas/vault"), grants: on("pack:vault", "pack_view") },
	"api GET /keys": {
		ok: 200,
		request: at("/keys"),
		grants: global("key_value_pair_list"),
		owner: { ok: 200, request: at("/keys?scope=user"), shows: { own: "owner" } },
	},
	"api GET /keys/:name": {
		ok: 200,
		request: at("/keys/kept"),
		grants: on(`${item}kept`, "key_value_pair_view"),
		owner: { ok: 200, request: at("/keys/note?scope=user"), shows: { own: "owner" } },
	},
	"api PUT /keys/:name": {
		ok: 200,
		request: at("/keys/present", { value: "1" }),
		grants: on(`${item}present`, "key_value_pair_set"),
		owner: { ok: 200, request: at("/keys/note", { value: "a private value", scope: "user" }), shows: { own: "owner" } },
	},
	"api DELETE /keys/:name": {
		ok: 404,
		request: at("/keys/absent"),
		grants: on(`${item}absent`, "key_value_pair_delete"),
		owner: { ok: 404, request: at("/keys/absent?scope=user") },
	},
	"api POST /keys/rotate": { ok: 200, others: 403, request: at("/keys/rotate", {}) },
	"api GET /nodes": { ok: 200, others: 403, request: at("/nodes") },
	"api GET /nodes/:node": { ok: 200, others: 403, request: at(`/nodes/${hostname()}`) },
	"api GET /audit/entries": { ok: 200, request: at("/audit/entries"), grants: global("audit_view") },
	"api GET /audit/checkpoints": { ok: 200, request: at("/audit/checkpoints"), grants: global("audit_view") },
	"api GET /audit/checkpoint": { ok: 200, request: at("/audit/checkpoint"), grants: global("audit_view") },
	"api GET /audit/report": { ok: 200, request: at("/audit/report"), grants: global("audit_view") },
	"api POST /nodes/:node/drain": { ok: 404, others: 403, request: at("/nodes/absent/drain", {}) },
	"api POST /nodes/:node/resume": { ok: 202, others: 403, request: at(`/nodes/${hostname()}/resume`, {}) },
	"api GET /metrics": { ok: 404, others: 403, request: at("/metrics"), grants: global("metrics_view") },
	"api GET /workers": { ok: 200, request: at("/workers"), grants: global("worker_list") },
	"api GET /workers/:worker": { ok: 404, request: at("/workers/absent"), grants: global("worker_list") },
	"api POST /workers/poll": { ok: 200, request: at("/workers/poll", pollBody), grants: on("worker:matrix", "worker_take") },
	"api POST /workers/jobs/:id/output": { ok: 409, request: at(`${absentJob}/output`, stale), grants: on("worker:-", "worker_take") },
	"api POST /workers/jobs/:id/end": {
		ok: 409,
		request: at(`${absentJob}/end`, { ...stale, succeeded: true, result: {} }),
		grants: on("worker:-", "worker_take"),
	},
	"api POST /workers/jobs/:id/files": {
		ok: 409,
		request: at(`${absentJob}/files`, { fence: stale.fence }),
		grants: on("worker:-", "worker_take"),
	},
	"api POST /workers/jobs/:id/bytes": {
		ok: 409,
		request: at(`${absentJob}/bytes`, { fence: stale.fence, start: 0, length: 1 }),
		grants: on("worker:-", "worker_take"),
	},
	"api GET /service_registry/groups": { ok: 200, others: 403, request: at("/service_registry/groups") },
	"api GET /service_registry/groups/:group/members": { ok: 200, others: 403, request: at("/service_registry/groups/worker/members") },
	"auth GET /health/live": { ok: 200, request: at("/health/live") },
	"api GET /health/live": { ok: 200, request: at("/health/live") },
	"stream GET /health/live": { ok: 200, request: at("/health/live") },
	"auth GET /health/ready": { ok: 200, request: at("/health/ready") },
	"api GET /health/ready": { ok: 200, request: at("/health/ready") },
	"stream GET /health/ready": { ok: 200, request: at("/health/ready") },
	"api GET /rbac/permission_types": { ok: 200, request: at("/rbac/permission_types") },
	"api GET /rbac/permission_types/:type": { ok: 200, request: at("/rbac/permission_types/action") },
	"api GET /rbac/roles": { ok: 200, request: at("/rbac/roles") },
	"api GET /rbac/roles/:name": { ok: 200, request: at("/rbac/roles/observer") },
	"api GET /rbac/role_assignments": {
		ok: 200,
		request: at("/rbac/role_assignments?user=root"),
		grants: [],
		onlyOwner: true,
		owner: { ok: 200, request: at("/rbac/role_assignments?user=owner") },
	},
	"api GET /rbac/role_assignments/:id": {
		ok: 200,
		request: ({ assignment }) => ({ path: `/rbac/role_assignments/${assignment}` }),
		grants: [],
		onlyOwner: true,
		owner: { ok: 200, request: ({ ownAssignment }) => ({ path: `/rbac/role_assignments/${ownAssignment}` }) },
	},
	"api GET /rules": { ok: 200, request: at("/rules"), grants: global("rule_list") },
	"api GET /rules/:ref": { ok: 200, request: at("/rules/default.watch"), grants: on(rule, "rule_view") },
	"api POST /rules": {
		ok: 201,
		request: ({ freshName }) => ({ path: "/rules", body: ruleBody(freshName()) }),
		grants: [...on("pack:default", "rule_create"), ...on(speak, "action_execute")],
		scopes: ["rule_create", "action_execute"],
	},
	"api PUT /rules/:ref": {
		ok: 200,
		request: at("/rules/default.watch", ruleBody("watch")),
		grants: [...on(rule, "rule_modify"), ...on(speak, "action_execute")],
		scopes: ["rule_modify", "action_execute"],
	},
	"api DELETE /rules/:ref": {
		ok: 204,
		request: async ({ newRule }) => ({ path: `/rules/${await newRule()}` }),
		grants: on("pack:default", "rule_delete"),
	},
	"api GET /rules/views": { ok: 200, request: at("/rules/views"), grants: global("rule_list") },
	"api GET /rules/views/:ref": { ok: 200, request: at("/rules/views/default.watch"), grants: on("pack:default", "rule_view") },
	"api POST /rules/test": {
		ok: 200,
		request: at("/rules/test", { rule: "default.watch", trigger_instance: { trigger: "core.svc.generic.inquiry" } }),
		grants: on(rule, "rule_view"),
	},
	"api GET /ruletypes": { ok: 200, request: at("/ruletypes"), grants: global("rule_type_list") },
	"api GET /ruletypes/:id": { ok: 200, request: at("/ruletypes/standard"), grants: on("rule_type:standard", "rule_type_view") },
	"api GET /ruleenforcements": { ok: 200, request: at("/ruleenforcements"), grants: global("rule_enforcement_list") },
	"api GET /ruleenforcements/:id": {
		ok: 200,
		request: ({ enforcement }) => ({ path: `/ruleenforcements/${enforcement}` }),
		grants: on("pack:default", "rule_view"),
	},
	"api GET /ruleenforcements/views": {
		ok: 200,
		request: at("/ruleenforcements/views"),
		grants: global("rule_list"),
		shows: { result: "execution_view", payload: "trigger_instance_view" },
	},
	"api GET /ruleenforcements/views/:id": {
		ok: 200,
		request: ({ enforcement }) => ({ path: `/ruleenforcements/views/${enforcement}` }),
		grants: on("rule:default:answer", "rule_view"),
		shows: { result: "execution_view", payload: "trigger_instance_view" },
	},
	"api GET /policytypes": { ok: 200, request: at("/policytypes"), grants: global("policy_type_list") },
	"api GET /policytypes/:ref": {
		ok: 200,
		request: at("/policytypes/action.retry"),
		grants: on("policy_type:action:retry", "policy_type_view"),
	},
	"api GET /policies": { ok: 200, request: at("/policies"), grants: global("policy_list") },
	"api GET /policies/:ref": { ok: 200, request: at("/policies/default.one"), grants: on(policy, "policy_view") },
	"api POST /policies": {
		ok: 201,
		request: ({ freshName }) => ({ path: "/policies", body: policyBody(freshName()) }),
		grants: global("policy_create"),
	},
	"api PUT /policies/:ref": {
		ok: 200,
		request: at("/policies/default.one", policyBody("one")),
		grants: on("pack:default", "policy_modify"),
	},
	"api DELETE /policies/:ref": {
		ok: 204,
		request: async ({ newPolicy }) => ({ path: `/policies/${await newPolicy()}` }),
		grants: on("pack:default", "policy_delete"),
	},
	"api GET /triggertypes": { ok: 200, request: at("/triggertypes"), grants: global("trigger_type_list") },
	"api GET /triggertypes/:ref": {
		ok: 200,
		request: at("/triggertypes/core.svc.webhook"),
		grants: on("trigger_type:core:svc.webhook", "trigger_type_view"),
	},
	"api POST /triggertypes": {
		ok: 201,
		request: ({ freshName }) => ({ path: "/triggertypes", body: { pack: "default", name: freshName() } }),
		grants: on("pack:default", "trigger_type_create"),
	},
	"api PUT /triggertypes/:ref": {
		ok: 200,
		request: async ({ newTriggerType }) => ({
			path: `/triggertypes/${await newTriggerType()}`,
			body: { pack: "default", name: "x" },
		}),
		grants: on("pack:default", "trigger_type_modify"),
	},
	"api DELETE /triggertypes/:ref": {
		ok: 204,
		request: async ({ newTriggerType }) => ({ path: `/triggertypes/${await newTriggerType()}` }),
		grants: on("pack:default", "trigger_type_delete"),
	},
	"api GET /triggers": { ok: 200, request: at("/triggers"), grants: global("trigger_list") },
	"api GET /triggers/:ref": {
		ok: 200,
		request: at("/triggers/core.svc.generic.inquiry"),
		grants: on("trigger:core:svc.generic.inquiry", "trigger_view"),
	},
	"api POST /triggers": {
		ok: 201,
		request: ({ freshName }) => ({ path: "/triggers", body: toTrigger(freshName()) }),
		grants: on("pack:default", "trigger_create"),
	},
	"api PUT /triggers/:ref": {
		ok: 200,
		request: async ({ newTrigger, freshName }) => ({ path: `/triggers/${await newTrigger()}`, body: toTrigger(freshName()) }),
		grants: on("pack:default", "trigger_modify"),
	},
	"api DELETE /triggers/:ref": {
		ok: 204,
		request: async ({ newTrigger }) => ({ path: `/triggers/${await newTrigger()}` }),
		grants: on("pack:default", "trigger_delete"),
	},
	"api GET /triggerinstances": {
		ok: 200,
		request: at("/triggerinstances?trigger_type=core.svc.webhook,core.svc.key_value_pair.create"),
		grants: global("trigger_instance_list"),
		shows: { payload: "trigger_instance_view", own: "administrator" },
	},
	"api GET /triggerinstances/:id": {
		ok: 200,
		request: ({ instance }) => ({ path: `/triggerinstances/${instance}` }),
		grants: on("trigger_type:core:svc.webhook", "trigger_instance_view"),
		shows: { payload: "asked" },
	},
	"api POST /triggerinstances/:id/re_emit": {
		ok: 200,
		request: ({ instance }) => ({ path: `/triggerinstances/${instance}/re_emit` }),
		grants: on("trigger_type:core:svc.webhook", "trigger_instance_reemit"),
		shows: { payload: "trigger_instance_view" },
	},
	"api GET /traces": { ok: 200, request: at("/traces"), grants: global("trace_list") },
	"api GET /traces/:id": { ok: 404, request: at("/traces/none"), grants: on("trace:none", "trace_view") },
	"api POST /purge/:records": { ok: 200, others: 403, request: at("/purge/executions", { timestamp: "2001-01-01T00:00:00Z" }) },
	"api GET /timers": { ok: 200, request: at("/timers"), grants: global("timer_list") },
	"api GET /timers/:ref": { ok: 404, others: 404, request: at("/timers/none") },
	"api GET /sensortypes": { ok: 200, request: at("/sensortypes"), grants: global("sensor_type_list") },
	"api GET /sensortypes/:ref": {
		ok: 200,
		request: at("/sensortypes/default.watcher"),
		grants: on("sensor_type:default:watcher", "sensor_type_view"),
	},
	"api PUT /sensortypes/:ref": {
		ok: 200,
		request: at("/sensortypes/default.watcher", { enabled: true }),
		grants: on("pack:default", "sensor_type_modify"),
	},
	"api GET /webhooks": { ok: 200, request: at("/webhooks"), grants: global("webhook_list") },
	"api GET /webhooks/**:url": { ok: 200, request: at("/webhooks/disk/full"), grants: on("webhook:disk/full", "webhook_view") },
	"api POST /webhooks/**:url": {
		ok: 202,
		request: at("/webhooks/disk/full", {}),
		grants: on("webhook:disk/full", "webhook_send"),
	},
	"api GET /webhook_deliveries": { ok: 200, request: at("/webhook_deliveries"), grants: global("webhook_list") },
	"api GET /webhook_deliveries/:id": {
		ok: 200,
		request: ({ delivery }) => ({ path: `/webhook_deliveries/${delivery}` }),
		grants: on("webhook:disk/full", "webhook_view"),
		shows: { payload: "asked" },
	},
	"api POST /webhook_deliveries/:id/replay": {
		ok: 202,
		request: ({ delivery }) => ({ path: `/webhook_deliveries/${delivery}/replay` }),
		grants: on("webhook:disk/full", "webhook_send"),
		shows: { payload: "webhook_view" },
	},
};

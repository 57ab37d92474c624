import { hostname } from "node:os";
import { assets } from "../../../plugins/feature-web-ui/routes.ts";
import type { Route } from "../../http/route.ts";
import { createParameters, createRefused, type SecretValues } from "./secret-pack.test-support.ts";

/** What the requests of a walk are made from. */
export interface WalkSubject {
	/** Executions in every state. */
	readonly executions: readonly string[];
	/** Executions that have ended, so that their streams end. */
	readonly ended: readonly string[];
	readonly actions: readonly string[];
	readonly runnerTypes: readonly string[];
	readonly secrets: SecretValues;
	/** An action record as the service shows it. */
	readonly record: Readonly<Record<string, unknown>>;
}

export interface WalkRequest {
	readonly path: string;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

type Walk = (subject: WalkSubject) => readonly WalkRequest[];

const get = (path: string, queries: readonly string[] = [""]): WalkRequest[] => queries.map((query) => ({ path: path + query }));
const each = (subjects: readonly string[], toRequests: (subject: string) => readonly WalkRequest[]) => subjects.flatMap(toRequests);
const send = (path: string, bodies: readonly unknown[]): WalkRequest[] => bodies.map((body) => ({ path, body }));

const selections = [
	"",
	"?include_attributes=parameters",
	"?include_attributes=liveaction,action.parameters.pin,runner",
	"?include_attributes=liveaction.parameters,parameters.options.pin",
	"?include_attributes=action,parameters,result",
	"?exclude_attributes=result",
	"?exclude_attributes=result,status,trigger_instance",
];
const executionLists = [...selections, "?limit=-1", "?status=failed&sort=-user", "?action=vault.command&limit=2&offset=1"];
const actionLists = [
	"",
	"?pack=vault",
	"?include_attributes=parameters",
	"?include_attributes=parameters.pin.default",
	"?exclude_attributes=notify",
];

/** Requests for every route, by component, method and path, those that change something after those that read. */
const walks: Readonly<Record<string, Walk>> = {
	"api GET /openapi.json": () => get("/openapi.json"),
	"api GET /docs": () => get("/docs"),
	"api GET /web/:file": () => get(`/web/${assets.names[0]}`),
	"api GET /docs/**:file": () => get("/docs/index.html"),
	"api HEAD /docs/**:file": () => get("/docs/index.html"),
	"api GET /": () => get("/"),
	"api GET /user": ({ secrets }) =>
		get("/user", ["", `?svc-api-key=${encodeURIComponent(secrets.refuse())}`, `?x-auth-token=${encodeURIComponent(secrets.refuse())}`]),
	"auth POST /tokens": ({ secrets }) => [
		{ path: "/tokens", body: {}, headers: { authorization: `Basic ${Buffer.from(`admin:${secrets.refuse()}`).toString("base64")}` } },
		{ path: "/tokens", body: { ttl: secrets.refuse() }, headers: { authorization: "Basic eA==" } },
	],
	"auth POST /tokens/validate": ({ secrets }) => send("/tokens/validate", [{ token: secrets.refuse() }, { token: [secrets.refuse()] }]),
	"auth GET /sso": ({ secrets }) => get("/sso", ["", `?a=${encodeURIComponent(secrets.refuse())}`]),
	"auth POST /sso/request": ({ secrets }) => send("/sso/request", [{}, { place: secrets.refuse() }, { place: [secrets.refuse()] }]),
	"auth GET /sso/callback": ({ secrets }) => get("/sso/callback", ["", `?code=${encodeURIComponent(secrets.refuse())}&state=x`]),
	"auth GET /sso/sign-out": () => get("/sso/sign-out"),
	"auth POST /sso/back-channel-logout": ({ secrets }) =>
		send("/sso/back-channel-logout", [{ logout_token: secrets.refuse() }, { logout_token: [secrets.refuse()] }]),
	"auth POST /sso/device": () => send("/sso/device", [{}]),
	"auth POST /sso/device/token": ({ secrets }) =>
		send("/sso/device/token", [{ device_code: secrets.refuse() }, { device_code: [secrets.refuse()] }]),
	"auth DELETE /tokens/:token": ({ secrets }) => get(`/tokens/${encodeURIComponent(secrets.refuse())}`),
	"api GET /apikeys": () => get("/apikeys", ["", "?limit=-1&offset=1"]),
	"api GET /apikeys/:key": ({ secrets }) => get(`/apikeys/${encodeURIComponent(secrets.refuse())}`),
	"api POST /apikeys": ({ secrets }) =>
		send("/apikeys", [{ metadata: { used_by: "walk" } }, { pin: secrets.refuse() }, { expires_at: "x" }, { metadata: [secrets.refuse()] }]),
	"api PUT /apikeys/:key": ({ secrets }) => send(`/apikeys/${encodeURIComponent(secrets.refuse())}`, [{ enabled: false }]),
	"api DELETE /apikeys/:key": ({ secrets }) => get(`/apikeys/${encodeURIComponent(secrets.refuse())}`),
	"api PUT /configs/:pack": ({ secrets }) => [
		...send("/configs/vault", [{ pin: secrets.store(), other: 1 }, { pin: [secrets.refuse()] }, { pin: "********" }]),
		...send("/configs/nothing", [{ pin: secrets.refuse() }]),
	],
	"api GET /packs": () => get("/packs", ["", "?limit=-1&sort=-name", "?include_attributes=files,metadata", "?exclude_attributes=files"]),
	"api GET /packs/:pack": () => get("/packs/vault"),
	"api GET /packs/views/files/:pack": () => get("/packs/views/files/core"),
	"api GET /packs/views/file/:pack/**:path": () => get("/packs/views/file/vault/actions/none.yaml"),
	"api GET /packs/views/file/:pack/icon.png": () => get("/packs/views/file/vault/icon.png"),
	"api GET /packs/index": () => get("/packs/index"),
	"api GET /packs/index/health": () => get("/packs/index/health"),
	"api POST /packs/index/search": ({ secrets }) => send("/packs/index/search", [{ pack: "disk" }, { query: secrets.refuse() }]),
	"api POST /packs/install": ({ secrets }) =>
		send("/packs/install", [
			{ packs: [`https://ann:${encodeURIComponent(secrets.refuse())}@127.0.0.1:1/disk.git`] },
			{ packs: [`https://ann:${secrets.refuse()}@127.0.0.1:1/disk.git`] },
			{ packs: secrets.refuse() },
		]),
	"api POST /packs/uninstall": ({ secrets }) => send("/packs/uninstall", [{ packs: ["nothing"] }, { packs: secrets.refuse() }]),
	"api POST /packs/upgrade": ({ secrets }) => send("/packs/upgrade", [{ packs: ["nothing"] }, { packs: secrets.refuse() }]),
	"api POST /packs/rollback": ({ secrets }) => send("/packs/rollback", [{ pack: "nothing" }, { pack: [secrets.refuse()] }]),
	"api POST /packs/register": ({ secrets }) => send("/packs/register", [{ packs: ["vault"] }, { packs: secrets.refuse() }]),
	"api GET /packs/views/outdated": () => get("/packs/views/outdated"),
	"api GET /packs/views/followed": () => get("/packs/views/followed"),
	"api GET /packs/views/lock": () => get("/packs/views/lock"),
	"api GET /configs": () => get("/configs", ["", "?limit=-1&offset=0"]),
	"api GET /configs/:pack": () => get("/configs/vault"),
	"api GET /config_schemas": () => get("/config_schemas"),
	"api GET /config_schemas/:pack": () => get("/config_schemas/vault"),
	"api PUT /keys/:name": ({ secrets }) => [
		...send("/keys/walk", [
			{ value: secrets.refuse(), secret: true },
			{ value: secrets.refuse(), secret: true, encrypted: true },
			{ value: secrets.refuse(), secret: true, ttl: -1 },
			{ value: [secrets.refuse()], secret: true },
		]),
	],
	"api GET /keys": () => get("/keys", ["", "?scope=all&limit=-1", "?prefix=w&show_secrets=true", "?scope=user&name=walk"]),
	"api GET /keys/:name": () => get("/keys/walk", ["", "?show_secrets=true"]),
	"api POST /keys/rotate": ({ secrets }) => send("/keys/rotate", [{}, { forget: secrets.refuse() }]),
	"api DELETE /keys/:name": () => get("/keys/walk", ["", "?scope=user"]),
	"api GET /nodes": () => get("/nodes"),
	"api GET /nodes/:node": () => get(`/nodes/${hostname()}`),
	"api GET /audit/entries": () => get("/audit/entries", ["", "?user=admin&kind=rule&limit=-1", "?after=0&outcome=refused", "?after=-1"]),
	"api GET /audit/checkpoints": () => get("/audit/checkpoints"),
	"api GET /audit/checkpoint": () => get("/audit/checkpoint"),
	"api GET /audit/report": () => get("/audit/report"),
	"api POST /nodes/:node/drain": () => send("/nodes/absent/drain", [{}]),
	"api POST /nodes/:node/resume": () => send(`/nodes/${hostname()}/resume`, [{}]),
	"api GET /metrics": () => get("/metrics"),
	"api GET /workers": () => get("/workers"),
	"api GET /workers/:worker": () => get("/workers/absent"),
	"api POST /workers/poll": ({ secrets }) => send("/workers/poll", [{}, { instance: secrets.refuse() }]),
	"api POST /workers/jobs/:id/output": ({ secrets }) => send("/workers/jobs/x/output", [{ fence: secrets.refuse() }]),
	"api POST /workers/jobs/:id/end": ({ secrets }) => send("/workers/jobs/x/end", [{ fence: secrets.refuse() }]),
	"api POST /workers/jobs/:id/files": ({ secrets }) => send("/workers/jobs/x/files", [{ fence: secrets.refuse() }]),
	"api POST /workers/jobs/:id/bytes": ({ secrets }) => send("/workers/jobs/x/bytes", [{ fence: secrets.refuse() }]),
	"api GET /service_registry/groups": () => get("/service_registry/groups"),
	"api GET /service_registry/groups/:group/members": () => get("/service_registry/groups/api/members"),
	"auth GET /health/live": () => get("/health/live"),
	"api GET /health/live": () => get("/health/live"),
	"stream GET /health/live": () => get("/health/live"),
	"auth GET /health/ready": () => get("/health/ready"),
	"api GET /health/ready": () => get("/health/ready"),
	"stream GET /health/ready": () => get("/health/ready"),
	"api GET /rbac/permission_types": () => get("/rbac/permission_types"),
	"api GET /rbac/permission_types/:type": () => get("/rbac/permission_types/action"),
	"api GET /rbac/roles": () => get("/rbac/roles", ["", "?system=true"]),
	"api GET /rbac/roles/:name": () => get("/rbac/roles/admin"),
	"api GET /rbac/role_assignments": () => get("/rbac/role_assignments", ["", "?user=admin&remote=false"]),
	"api GET /rbac/role_assignments/:id": () => get("/rbac/role_assignments/x"),
	"api GET /executions/views/filters": () => get("/executions/views/filters", ["", "?types=action,user"]),
	"api GET /executions/:id/attribute/:name": ({ executions }) =>
		each(executions, (id) =>
			["result", "trigger_instance", "status", "parameters"].flatMap((name) => get(`/executions/${id}/attribute/${name}`)),
		),
	"api GET /executions/:id/result": ({ executions }) =>
		each(executions, (id) =>
			get(`/executions/${id}/result`, ["", "?download=true", "?compress=true", "?pretty_format=true&download=1&compress=1"]),
		),
	"api GET /executions/:id/children": ({ executions }) =>
		each(executions, (id) => get(`/executions/${id}/children`, ["", "?depth=1&result_fmt=sorted"])),
	"api GET /executions": () => get("/executions", executionLists),
	"api GET /executions/:id": ({ executions }) =>
		each([...executions, "last"], (id) => get(`/executions/${id}`, [...selections, "?max_result_size=10"])),
	"api GET /executions/:id/output": ({ executions }) =>
		each(executions, (id) => get(`/executions/${id}/output`, ["", "?output_type=stderr", "?from_line=1&lines=5", "?find=a"])),
	"api GET /executions/:id/graph": ({ executions }) => each(executions, (id) => get(`/executions/${id}/graph`, ["", "?show_secrets=0"])),
	"api GET /executions/:id/tasks": ({ executions }) => each(executions, (id) => get(`/executions/${id}/tasks`, ["", "?limit=-1&offset=1"])),
	"api GET /workflows/:ref/graph": ({ actions }) => each(actions, (ref) => get(`/workflows/${ref}/graph`)),
	"api POST /workflows/inspect": ({ secrets }) =>
		send("/workflows/inspect", [
			{ tasks: { one: { action: "vault.command" } } },
			`tasks: {one: {action: ${JSON.stringify(secrets.refuse())}`,
		]),
	"api GET /executions/:id/output/lines": ({ executions }) =>
		each(executions, (id) =>
			get(`/executions/${id}/output/lines`, ["", "?output_type=stderr", "?from_line=1&lines=5", "?find=a", "?trouble=true"]),
		),
	"stream GET /executions/:id/output": ({ ended }) => each(ended, (id) => get(`/executions/${id}/output`)),
	"stream GET /stream": () => [],
	"api GET /actions/views/parameters/:ref": ({ actions }) => each(actions, (ref) => get(`/actions/views/parameters/${ref}`)),
	"api GET /actions/views/overview": () => get("/actions/views/overview", actionLists),
	"api GET /actions/views/overview/:ref": ({ actions }) => each(actions, (ref) => get(`/actions/views/overview/${ref}`)),
	"api GET /actions/views/entry_point/:ref": ({ actions }) => each(actions, (ref) => get(`/actions/views/entry_point/${ref}`)),
	"api GET /actions": () => get("/actions", actionLists),
	"api GET /actions/:ref": ({ actions }) => each(actions, (ref) => get(`/actions/${ref}`)),
	"api GET /runnertypes": () => get("/runnertypes", ["", "?include_attributes=runner_parameters", "?exclude_attributes=name"]),
	"api GET /runnertypes/:name": ({ runnerTypes }) => each(runnerTypes, (name) => get(`/runnertypes/${name}`)),
	"api PUT /runnertypes/:name": ({ runnerTypes }) =>
		each(runnerTypes, (name) => send(`/runnertypes/${name}`, [{ enabled: true }, { enabled: "x" }])),
	"api POST /executions": ({ secrets }) => [
		...send("/executions", [{ action: "vault.command", parameters: createParameters(secrets) }]),
		...createRefused(secrets).flatMap((parameters) =>
			send(
				"/executions",
				["vault.command", "vault.script"].map((action) => ({ action, parameters: { ...parameters } })),
			),
		),
		...send("/executions", [
			`{"action": "vault.command", "parameters": {"pin": "${secrets.refuse().replace(/\W/g, "")}"`,
			{ action: "vault.nothing", parameters: { pin: secrets.refuse() } },
			{ action: ["vault.command", secrets.refuse()], parameters: { pin: secrets.refuse() } },
			{ action: "vault.command", parameters: [secrets.refuse()] },
			{ action: "vault.command", parameters: { pin: secrets.refuse() }, context: { trace_context: { id_: "0" } } },
			{ action: "vault.command", parameters: { pin: secrets.refuse() }, delay: -1 },
			{ action: "vault.command", delay: 3_600_000, pin: secrets.refuse(), options: { pin: secrets.refuse() } },
		]),
	],
	"api PUT /executions/:id": ({ executions, secrets }) =>
		each(executions, (id) =>
			send(`/executions/${id}`, [
				{ status: "pausing" },
				{ status: secrets.refuse() },
				{ pin: secrets.refuse() },
				{ status: "pausing", reason: [secrets.refuse()] },
			]),
		),
	"api POST /executions/:id/re_run": ({ ended, secrets }) =>
		each(ended, (id) =>
			send(`/executions/${id}/re_run`, [
				{ delay: 3_600_000 },
				{ delay: 3_600_000, parameters: { pin: secrets.store() } },
				{ delay: 3_600_000, parameters: { pin: "********" } },
				{ parameters: { number: secrets.refuse() } },
			]),
		),
	"api GET /inquiries": () => get("/inquiries", ["", "?limit=1", "?include_attributes=schema"]),
	"api GET /inquiries/:id": ({ executions }) => each(executions, (id) => get(`/inquiries/${id}`)),
	"api PUT /inquiries/:id": ({ executions, secrets }) =>
		each(executions, (id) =>
			send(`/inquiries/${id}`, [
				{ id, response: { pin: secrets.refuse() } },
				{ id, response: secrets.refuse() },
			]),
		),
	"api POST /triggertypes": ({ secrets }) =>
		send("/triggertypes", [
			{ name: "walk", pack: "vault", parameters_schema: { properties: { pin: { type: "string", secret: true }, n: { type: "integer" } } } },
			{ name: "bad", pack: "vault", payload_schema: { type: secrets.refuse() } },
		]),
	"api POST /triggers": ({ secrets }) =>
		send("/triggers", [
			{ type: "vault.walk", name: "walked", parameters: { pin: secrets.store() } },
			{ type: "vault.walk", parameters: { pin: secrets.refuse(), n: "x" } },
			{ type: "vault.nothing", parameters: { pin: secrets.refuse() } },
		]),
	"api POST /rules": ({ secrets }) =>
		send("/rules", [
			{
				name: "walk",
				pack: "vault",
				enabled: true,
				trigger: { type: "vault.walk", parameters: { pin: secrets.store() } },
				action: { ref: "vault.command", parameters: createParameters(secrets) },
			},
			{
				name: "warned",
				pack: "vault",
				trigger: { type: "vault.walk" },
				action: { ref: "vault.command", parameters: { pin: secrets.store(), nothing: 1, code: "{{ 1 | absent }}" } },
			},
			{
				name: "warned_of_nothing",
				pack: "vault",
				trigger: { type: "vault.walk" },
				action: { ref: "vault.nothing", parameters: { pin: secrets.store() } },
			},
			{ name: "bad", trigger: { type: "vault.walk", parameters: { n: secrets.refuse() } }, action: { ref: "vault.command" } },
			{ name: "bad", trigger: { type: "vault.nothing" }, action: { ref: "vault.command", parameters: { pin: secrets.refuse() } } },
		]),
	"api PUT /rules/:ref": ({ secrets }) =>
		send("/rules/vault.walk", [
			{
				name: "walk",
				pack: "vault",
				trigger: { type: "vault.walk", parameters: { pin: "********" } },
				action: { ref: "vault.command", parameters: { pin: "********" } },
			},
			{ name: "walk", trigger: { type: "vault.walk" }, action: { ref: "vault.script", parameters: { pin: "********" } } },
			{ name: "walk", trigger: { type: "vault.walk", parameters: { n: "x", pin: secrets.refuse() } }, action: { ref: "vault.command" } },
		]),
	"api GET /rules": () => get("/rules", ["", "?pack=vault&limit=1&offset=0", "?include_attributes=action.parameters,trigger.parameters"]),
	"api GET /rules/:ref": () => get("/rules/vault.walk"),
	"api GET /rules/views": () => get("/rules/views", ["", "?enabled=true", "?exclude_attributes=criteria"]),
	"api GET /rules/views/:ref": () => get("/rules/views/vault.walk"),
	"api POST /rules/test": ({ secrets }) =>
		send("/rules/test", [
			{ rule: "vault.walk", trigger_instance: { trigger: "vault.walk", payload: { n: 1 } } },
			{ rule: "vault.walk", trigger_instance: { trigger: "vault.other", payload: { pin: secrets.refuse() } } },
			{
				rule: {
					name: "x",
					trigger: { type: "vault.walk" },
					action: { ref: "vault.command", parameters: { pin: secrets.refuse() } },
				},
				trigger_instance: { trigger: "vault.walk" },
			},
		]),
	"api GET /ruletypes": () => get("/ruletypes"),
	"api GET /ruletypes/:id": () => get("/ruletypes/backstop"),
	"api GET /ruleenforcements": () => get("/ruleenforcements", ["", "?rule_ref=vault.walk", "?limit=-1&sort=-enforced_at"]),
	"api GET /ruleenforcements/:id": () => get("/ruleenforcements/x"),
	"api GET /ruleenforcements/views": () => get("/ruleenforcements/views", ["", "?include_attributes=execution,trigger_instance"]),
	"api GET /ruleenforcements/views/:id": () => get("/ruleenforcements/views/x"),
	"api GET /policytypes": () => get("/policytypes", ["", "?name=retry&limit=1", "?include_attributes=parameters"]),
	"api GET /policytypes/:ref": () => get("/policytypes/action.retry"),
	"api POST /policies": ({ secrets }) =>
		send("/policies", [
			{ name: "p", pack: "vault", resource_ref: "vault.none", policy_type: "action.concurrency", parameters: { threshold: 1 } },
			{ name: "q", pack: "vault", resource_ref: "vault.none", policy_type: "action.retry", parameters: { pin: secrets.refuse() } },
		]),
	"api PUT /policies/:ref": ({ secrets }) =>
		send("/policies/vault.p", [
			{
				name: "p",
				pack: "vault",
				resource_ref: "vault.none",
				policy_type: "action.concurrency",
				parameters: { threshold: secrets.refuse() },
			},
		]),
	"api GET /policies": () => get("/policies", ["", "?pack=vault&limit=-1", "?exclude_attributes=parameters"]),
	"api GET /policies/:ref": () => get("/policies/vault.p"),
	"api DELETE /policies/:ref": () => get("/policies/vault.p"),
	"api POST /actionalias": ({ secrets }) =>
		send("/actionalias", [
			{
				name: "walk",
				pack: "vault",
				action_ref: "vault.command",
				formats: ["walk {{ cmd }}"],
				immutable_parameters: { pin: secrets.store() },
			},
			{ name: "bad", pack: "vault", action_ref: "vault.command", formats: [], extra: { pin: secrets.refuse() } },
		]),
	"api PUT /actionalias/:ref": ({ secrets }) =>
		send("/actionalias/vault.walk", [
			{ name: "walk", pack: "vault", action_ref: "vault.command", formats: ["walk {{ cmd }}"], immutable_parameters: { pin: "********" } },
			{ name: "walk", pack: "vault", action_ref: "vault.script", formats: ["walk {{ cmd }}"], immutable_parameters: { pin: "********" } },
			{ name: "walk", action_ref: "vault.command", formats: [{ display: secrets.refuse() }, 1] },
		]),
	"api GET /actionalias": () => get("/actionalias", ["", "?pack=vault&limit=-1", "?include_attributes=immutable_parameters"]),
	"api GET /actionalias/help": () => get("/actionalias/help", ["", "?filter=walk", "?filter=("]),
	"api GET /actionalias/:ref": () => get("/actionalias/vault.walk"),
	"api POST /actionalias/match": ({ secrets }) => send("/actionalias/match", [{ command: "walk x" }, { command: [secrets.refuse()] }]),
	"api POST /aliasexecution": ({ secrets }) =>
		send("/aliasexecution", [
			{ name: "walk", format: "walk {{ cmd }}", command: "walk true", source_channel: "ops" },
			{ name: "walk", format: "walk {{ cmd }}", command: "walk true", source_channel: "ops", source_context: [secrets.refuse()] },
		]),
	"api POST /aliasexecution/match_and_execute": ({ secrets }) =>
		send("/aliasexecution/match_and_execute", [
			{ command: "walk true", source_channel: "ops" },
			{ command: "walk true", source_channel: "ops", pin: secrets.refuse() },
		]),
	"api DELETE /actionalias/:ref": () => get("/actionalias/vault.walk"),
	"api GET /triggertypes": () => get("/triggertypes", ["", "?pack=core&limit=-1", "?include_attributes=parameters_schema"]),
	"api GET /triggertypes/:ref": () => get("/triggertypes/vault.walk"),
	"api PUT /triggertypes/:ref": ({ secrets }) =>
		send("/triggertypes/vault.nothing", [{ name: "nothing", pack: "vault", description: secrets.refuse() }]),
	"api GET /triggers": () => get("/triggers", ["", "?type=vault.walk"]),
	"api GET /triggers/:ref": () => get("/triggers/vault.walked"),
	"api PUT /triggers/:ref": ({ secrets }) =>
		send("/triggers/vault.walked", [
			{ type: "vault.walk", parameters: { pin: secrets.store() } },
			{ type: "vault.walk", parameters: { pin: secrets.refuse(), n: "x" } },
		]),
	"api GET /triggerinstances": () => get("/triggerinstances", ["", "?limit=-1", "?status=processed&sort=timestamp"]),
	"api GET /triggerinstances/:id": () => get("/triggerinstances/x"),
	"api POST /triggerinstances/:id/re_emit": () => [{ path: "/triggerinstances/x/re_emit", body: {} }],
	"api GET /traces": () => get("/traces", ["", "?limit=-1&sort_asc=True", "?trace_tag=x"]),
	"api GET /traces/:id": () => get("/traces/x"),
	"api DELETE /rules/:ref": () => get("/rules/vault.walk"),
	"api DELETE /triggers/:ref": () => get("/triggers/vault.walked"),
	"api DELETE /triggertypes/:ref": () => get("/triggertypes/vault.walk"),
	"api DELETE /executions/:id": ({ executions }) => each(executions, (id) => get(`/executions/${id}`, ["?reason=enough"])),
	"api POST /actions": ({ secrets }) =>
		send("/actions", [
			{ name: "made", pack: "vault", runner_type: "local-shell-cmd", parameters: { pin: { secret: true, default: secrets.store() } } },
			{ name: "made", pack: "vault", runner_type: "local-shell-cmd", parameters: { pin: { secret: true, default: secrets.refuse() } } },
			{ name: "bad", pack: "vault", runner_type: "nothing", parameters: { pin: { secret: true, default: secrets.refuse() } } },
			{ name: "bad", pack: "vault", runner_type: "local-shell-cmd", parameters: { pin: { secrte: true, default: secrets.refuse() } } },
			{
				name: "bad",
				pack: "vault",
				runner_type: "local-shell-cmd",
				parameters: { pin: { secret: secrets.refuse(), default: secrets.refuse() } },
			},
			{ name: "bad", pack: "vault", runner_type: "local-shell-cmd", parameters: { pin: { secret: true, default: "********" } } },
		]),
	"api PUT /actions/:ref": ({ record }) => send(`/actions/${String(record["ref"])}`, [record, { ...record, runner_type: "nothing" }]),
	"api POST /actions/:ref/clone": ({ actions }) =>
		each(actions, (ref) =>
			send(`/actions/${ref}/clone`, [
				{ dest_pack: "vault", dest_action: `copy_of_${ref.replace(/\W/g, "_")}` },
				{ dest_pack: "nothing", dest_action: "a" },
			]),
		),
	"api GET /timers": ({ secrets }) =>
		get("/timers", ["", "?timer_type=core.svc.CronTimer", `?timer_type=${encodeURIComponent(secrets.refuse())}`]),
	"api GET /timers/:ref": () => get("/timers/core.nothing"),
	"api GET /sensortypes": ({ secrets }) => get("/sensortypes", ["", "?enabled=true", `?trigger=${encodeURIComponent(secrets.refuse())}`]),
	"api GET /sensortypes/:ref": () => get("/sensortypes/vault.nothing"),
	"api PUT /sensortypes/:ref": ({ secrets }) => send("/sensortypes/vault.nothing", [{ enabled: false }, { enabled: secrets.refuse() }]),
	"api GET /webhooks": () => get("/webhooks"),
	"api GET /webhooks/**:url": () => get("/webhooks/nothing"),
	"api HEAD /webhooks/**:url": () => get("/webhooks/nothing"),
	"api POST /webhooks/**:url": ({ secrets }) => [
		...send("/webhooks/svc", [
			{ trigger: secrets.refuse() },
			{ trigger: "core.svc.generic.inquiry", payload: { id: [secrets.refuse()], route: "r" } },
			secrets.refuse(),
		]),
		...send("/webhooks/nothing", [{ pin: secrets.refuse() }, secrets.refuse()]),
	],
	"api GET /webhook_deliveries": () => get("/webhook_deliveries", ["", "?url=a&verdict=refused&trigger_instance=a&limit=-1"]),
	"api GET /webhook_deliveries/:id": () => get("/webhook_deliveries/nothing"),
	"api POST /webhook_deliveries/:id/replay": () => get("/webhook_deliveries/nothing/replay"),
	"api POST /purge/:records": ({ secrets }) => [
		...send("/purge/executions", [{ timestamp: "2001-01-01T00:00:00Z", action_ref: secrets.refuse() }, { timestamp: secrets.refuse() }]),
		...send("/purge/nothing", [{ timestamp: "2001-01-01T00:00:00Z" }]),
	],
	"api DELETE /actions/:ref": ({ actions }) =>
		each(actions, (ref) => send(`/actions/${ref}`, [{ remove_files: "x" }, { remove_files: true }])),
};

/** Requests for the routes in the order of the walk. Throws for a route it does not know. */
export function walkRoutes(routes: readonly Route[]): readonly { readonly route: Route; readonly requests: Walk }[] {
	const known = new Map(routes.map((route) => [`${route.component} ${route.method} ${route.path}`, route]));
	const forgotten = [...known.keys()].filter((key) => !Object.hasOwn(walks, key));
	if (forgotten.length > 0) throw new Error(`the walk has no requests for ${forgotten.join(", ")}`);
	return Object.entries(walks).flatMap(([key, requests]) => {
		const route = known.get(key);
		return route === undefined ? [] : [{ route, requests }];
	});
}

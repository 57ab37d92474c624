// The permission types are those of the features that a process has loaded.
// test-process: own
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { isSvcError, type Logger, type RbacConfig, type Storage } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import { clockOf } from "../../testing/engine/clock-of.test-support.ts";
import { RoleAccess } from "./access.ts";
import type { Access } from "./access-exports.ts";
import { isGlobalPermission, isGrantableOn, listResourceTypes, type PermissionType, permissionsOf } from "./permission-types.ts";

const permissionTypes: readonly PermissionType[] = listResourceTypes().flatMap(permissionsOf);
const action: Resource = { uid: "action:site:deploy", pack: "site" };
const other: Resource = { uid: "action:core:local", pack: "core" };

interface Setup {
	readonly access: Access;
	readonly log: string[];
}

function setUp(config: RbacConfig, { enabled = true, storage = memoryStorage().create() as Storage } = {}): Setup {
	const log: string[] = [];
	const write = (message: string, fields: unknown = {}) => void log.push(`${message} ${JSON.stringify(fields)}`);
	const logger: Logger = { debug: write, info: write, warn: write, error: write };
	let now = 1_700_000_000_000_000;
	return { access: new RoleAccess({ storage, clock: clockOf(() => now++), logger, enabled, config }), log };
}

const withRoles = (...roles: readonly string[]): Principal => ({
	username: "ann",
	isAdmin: false,
	roles,
	authentication: { method: "none" },
});

/** Permissions on both actions that a role with these grants has. */
function granted(grants: NonNullable<RbacConfig["roles"]>[number]["permission_grants"], resource?: Resource): string[] {
	const { access } = setUp({ roles: [{ name: "role", permission_grants: grants ?? [] }] });
	return permissionTypes.filter((permission) => access.allows(withRoles("role"), permission as PermissionType, resource));
}

test("without a role nothing is allowed, with an administrator's role everything", () => {
	const { access } = setUp({});
	for (const permission of permissionTypes) {
		assert.equal(access.allows(withRoles(), permission, action), false, permission);
		assert.equal(access.allows(withRoles("gone"), permission, action), false, permission);
		for (const role of ["admin", "system_admin"]) assert.equal(access.allows(withRoles(role), permission, action), true, permission);
	}
});

test("an observer lists, views and searches, and nothing else", () => {
	const { access } = setUp({});
	for (const permission of permissionTypes) {
		assert.equal(access.allows(withRoles("observer"), permission, action), /_(list|view|search)$/.test(permission), permission);
	}
});

test("with access control off everybody may do everything, an API key with scopes what they name", () => {
	const { access } = setUp({}, { enabled: false });
	const free: Principal = { username: "ann", isAdmin: true, authentication: { method: "none" } };
	assert.equal(access.allows(free, "action_delete", action), true);
	const scoped = { ...free, isAdmin: false, scopes: ["action_view", "webhook:deploy", "rule_all"] };
	assert.equal(access.allows(scoped, "action_view", action), true);
	assert.equal(access.allows(scoped, "action_execute", action), false);
	assert.equal(access.allows(scoped, "rule_modify"), true);
	assert.equal(access.allows(scoped, "rule_enforcement_view"), false);
	assert.equal(access.allows(scoped, "webhook_send", { uid: "webhook:deploy" }), true);
	assert.equal(access.allows(scoped, "webhook_send", { uid: "webhook:other" }), false);
	assert.equal(access.allows(scoped, "webhook_send"), false);
});

test("scopes narrow the roles of the user and never widen them", () => {
	const { access } = setUp({});
	const scopes = ["action_view", "action_execute"];
	assert.equal(access.allows({ ...withRoles("admin"), scopes }, "action_execute", action), true);
	assert.equal(access.allows({ ...withRoles("admin"), scopes }, "action_delete", action), false);
	assert.equal(access.allows({ ...withRoles("observer"), scopes }, "action_execute", action), false);
	assert.equal(access.allows({ ...withRoles("admin"), scopes: [] }, "action_view", action), false);
});

test("a grant on a record counts for that record, with what it implies", () => {
	const on = (type: string) => granted([{ resource_uid: action.uid, permission_types: [type] }], action);
	assert.deepEqual(on("action_view"), ["action_view", "execution_view"]);
	const executing = ["execution_rerun", "execution_stop", "inquiry_view", "inquiry_respond"];
	assert.deepEqual(on("action_execute"), ["action_view", "action_execute", ...executing]);
	assert.deepEqual(on("action_modify"), ["action_view", "action_modify"]);
	assert.deepEqual(on("action_create"), ["action_view", "action_create"]);
	assert.deepEqual(on("action_delete"), ["action_view", "action_delete"]);
	assert.ok(on("action_all").includes("action_execute") && on("action_all").includes("execution_view"));
	assert.ok(!on("action_all").some((permission) => permission.startsWith("rule") || permission.startsWith("action_alias")));
	assert.deepEqual(granted([{ resource_uid: action.uid, permission_types: ["action_all"] }], other), []);
	assert.deepEqual(granted([{ resource_uid: action.uid, permission_types: ["action_all"] }]), []);
});

test("what is somebody's own needs no grant, and no grant lets others at it", () => {
	const own = { uid: "key_value_pair:svckv.user:bob:note", owner: "bob" };
	const grants = [{ resource_uid: own.uid, permission_types: ["key_value_pair_all"] }];
	const { access } = setUp({ roles: [{ name: "role", permission_grants: grants }] });
	const allows = (principal: Principal) => access.allows(principal, "key_value_pair_view", own);
	for (const role of ["role", "observer"]) assert.equal(allows(withRoles(role)), false, role);
	assert.equal(allows({ ...withRoles(), username: "bob" }), true);
	assert.equal(allows(withRoles("admin")), true);
	assert.equal(allows({ ...withRoles("admin"), scopes: ["key_value_pair_view"] }), false, "a key with scopes is no administrator's");
	assert.equal(allows({ ...withRoles(), username: "bob", scopes: ["key_value_pair_view"] }), true);
});

test("an event is guarded by its trigger type, or by its pack", () => {
	const type = { uid: "trigger_type:site:arrived", pack: "site" };
	const on = (uid: string) => granted([{ resource_uid: uid, permission_types: ["trigger_instance_reemit"] }], type);
	assert.deepEqual(on("trigger_type:site:arrived"), ["trigger_instance_reemit"]);
	assert.deepEqual(on("pack:site"), ["trigger_instance_reemit"]);
	assert.deepEqual(on("trigger_type:site:left"), []);
	assert.equal(isGrantableOn("trigger_instance_view", "trigger_instance:1"), false);
	assert.equal(isGrantableOn("trigger_delete", "trigger_type:site:arrived"), false);
});

test("a grant on a pack counts for everything in it", () => {
	const grants = [{ resource_uid: "pack:site", permission_types: ["action_view", "action_execute"] }];
	const executing = ["execution_view", "execution_rerun", "execution_stop", "inquiry_view", "inquiry_respond"];
	assert.deepEqual(granted(grants, action), ["action_view", "action_execute", ...executing]);
	assert.deepEqual(granted(grants, other), []);
	assert.deepEqual(granted(grants, { uid: "action:site:deploy" }), []);
});

test("a global grant counts for what concerns no single record only", () => {
	assert.deepEqual(granted([{ permission_types: ["action_list", "stream_view", "api_key_create"] }], action), [
		"action_list",
		"api_key_create",
		"stream_view",
	]);
	assert.equal(isGlobalPermission("action_view"), false);
	assert.equal(isGrantableOn("action_list", "action:core:local"), false);
	assert.equal(isGrantableOn("rule_modify", "pack:core"), true);
	assert.equal(isGrantableOn("policy_modify", "pack:core"), true);
	assert.equal(isGrantableOn("api_key_view", "pack:core"), false);
});

test("whoever was granted something about inquiries may look at them; answering needs a grant of its own", () => {
	const inquiry = { uid: "inquiry:1" };
	const having = (type: string) => granted([{ permission_types: [type] }], inquiry);
	assert.deepEqual(having("inquiry_list"), ["inquiry_list", "inquiry_view"]);
	assert.deepEqual(having("inquiry_respond"), ["inquiry_view", "inquiry_respond"]);
	assert.deepEqual(having("inquiry_all"), ["inquiry_list", "inquiry_view", "inquiry_respond", "inquiry_all"]);
	assert.deepEqual(granted([{ resource_uid: action.uid, permission_types: ["action_execute"] }], inquiry), []);
});

test("grants of several roles add up", () => {
	const { access } = setUp({
		roles: [
			{ name: "viewer", permission_grants: [{ resource_uid: action.uid, permission_types: ["action_view"] }] },
			{ name: "runner", permission_grants: [{ resource_uid: action.uid, permission_types: ["action_execute"] }] },
		],
	});
	assert.equal(access.allows(withRoles("viewer"), "action_execute", action), false);
	assert.equal(access.allows(withRoles("viewer", "runner"), "action_execute", action), true);
	assert.equal(access.allows(withRoles("viewer", "runner"), "execution_view", action), true);
});

test("what is denied names user, permission and resource, and leaves a line in the log", () => {
	const { access, log } = setUp({});
	assert.throws(
		() => access.assert(withRoles(), "action_execute", action),
		(error) => isSvcError(error, "SVC_FORBIDDEN") && /"ann".*"action_execute".*"action:site:deploy"/.test(error.message),
	);
	assert.equal(log.at(-1), 'permission denied {"user":"ann","permission":"action_execute","resource":"action:site:deploy"}');
});

test("a configuration that cannot be meant is refused with its path", () => {
	const role = (...grants: { resource_uid?: string; permission_types: string[] }[]): RbacConfig => ({
		roles: [{ name: "role", permission_grants: grants }],
	});
	const cases: readonly [RbacConfig, RegExp][] = [
		[{ roles: [{ name: "admin" }] }, /rbac\.roles\[0\]\.name.*"admin"/],
		[{ roles: [{ name: "a" }, { name: "a" }] }, /rbac\.roles\[1\]\.name/],
		[{ roles: [{ name: "a b" }] }, /rbac\.roles\[0\]\.name: must consist/],
		[role({ permission_types: ["action_fly"] }), /permission_grants\[0\]\.permission_types.*action_fly/],
		[role({ permission_types: ["action_view"] }), /resource_uid/],
		[role({ permission_types: ["action_all"] }), /resource_uid/],
		[role({ resource_uid: "action:a:b", permission_types: ["action_list"] }), /action_list.*action:a:b/],
		[role({ resource_uid: "pack:a", permission_types: ["api_key_view"] }), /api_key_view.*pack:a/],
		[role({ resource_uid: "pack:a", permission_types: ["execution_view"] }), /execution_view/],
		[{ assignments: [{ username: "ann", roles: ["nothing"] }] }, /rbac\.assignments\[0\]\.roles.*"nothing".*admin/],
		[{ mappings: [{ group: "g", roles: ["nothing"] }] }, /rbac\.mappings\[0\]\.roles.*"nothing"/],
	];
	for (const [config, message] of cases) {
		assert.throws(
			() => setUp(config),
			(error) => isSvcError(error, "SVC_CONFIG") && message.test(error.message),
			String(message),
		);
	}
});

test("a configuration in which no user has the role admin is warned about", () => {
	assert.match(setUp({}).log.join(), /no user has the role admin/);
	assert.deepEqual(setUp({ assignments: [{ username: "ann", roles: ["admin"] }] }).log, []);
	assert.deepEqual(setUp({ mappings: [{ group: "g", roles: ["system_admin"] }] }).log, []);
	assert.deepEqual(setUp({}, { enabled: false }).log, []);
});

const mapped: RbacConfig = {
	roles: [{ name: "deployer" }],
	assignments: [{ username: "ann", roles: ["observer"] }],
	mappings: [
		{ group: "ops", roles: ["deployer", "observer"] },
		{ group: "ops", roles: ["deployer"] },
		{ group: "root", roles: ["admin"] },
	],
};

test("roles follow the groups of the last sign-in, those of the configuration stay", async () => {
	const { access } = setUp(mapped);
	await access.syncGroups("ann", ["ops", "unmapped"]);
	assert.deepEqual(await access.rolesOf("ann"), ["deployer", "observer"]);
	assert.deepEqual(await access.rolesOf("bob"), []);
	await Promise.all([1, 2, 3].map(() => access.syncGroups("ann", ["ops", "root"])));
	assert.deepEqual(await access.rolesOf("ann"), ["admin", "deployer", "observer"]);
	assert.deepEqual((await access.assignments({ user: "ann" })).map(({ role, source, is_remote }) => [role, source, is_remote]).sort(), [
		["admin", "root", true],
		["deployer", "ops", true],
		["observer", "ops", true],
		["observer", "rbac.assignments[0]", false],
	]);
	assert.equal((await access.assignments({ remote: false })).length, 1);
	assert.equal((await access.assignments({ role: "observer", source: "ops" })).length, 1);
	await access.syncGroups("ann", ["OPS"]);
	assert.deepEqual(await access.rolesOf("ann"), ["observer"]);
});

test("a mapping that the configuration has dropped counts no more, before anybody signs in again", async () => {
	const storage = memoryStorage().create();
	await setUp(mapped, { storage }).access.syncGroups("bob", ["ops", "root"]);
	const { access } = setUp({ ...mapped, mappings: [{ group: "ops", roles: ["deployer"] }] }, { storage });
	assert.deepEqual(await access.rolesOf("bob"), ["deployer"]);
	assert.deepEqual(
		(await access.assignments({ user: "bob" })).map(({ role }) => role),
		["deployer"],
	);
});

test.run();

import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { isSvcError, type Logger } from "../../contract/index.ts";
import { toDatastoreUser } from "../../kernel/submission/parameter-rendering.ts";
import { Dialects } from "../../language/dialects.ts";
import { KeyRing } from "../../secrets/encryption/key-ring.ts";
import { clockOf } from "../../testing/engine/clock-of.test-support.ts";
import { RoleAccess } from "../access/access.ts";
import { loadPrincipal } from "../access/load-principal.ts";
import { ItemStore } from "./item-store.ts";
import { TemplateAccess } from "./template-access.ts";
import { UserQuota } from "./user-quota.ts";

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const clock = clockOf(() => Date.now() * 1_000);

async function createSubject() {
	const storage = memoryStorage().create();
	const quota = new UserQuota({ storage, limits: { user_items: 10, user_bytes: 1_000 } });
	const store = new ItemStore({ storage, clock, logger, draft: async () => undefined, quota });
	const config = {
		roles: [
			{
				name: "reader",
				permission_grants: [{ resource_uid: "key_value_pair:svckv.system:open", permission_types: ["key_value_pair_view"] }],
			},
		],
		assignments: [
			{ username: "maria", roles: ["reader"] },
			{ username: "root", roles: ["admin"] },
		],
	};
	const access = new RoleAccess({ storage, clock, logger, enabled: true, config });
	const content = (value: string) => () => ({ value, secret: false, description: null, expire_timestamp: null });
	for (const name of ["open", "hidden"]) await store.set({ scope: "svckv.system", name, user: null }, content(name));
	await store.set({ scope: "svckv.user", name: "maria:own", user: "maria" }, content("of maria"));
	const keys = new KeyRing({ path: "/nowhere/key", isEnabled: false, logger });
	const authority = { principalOf: (username: string) => loadPrincipal(username, { access, systemUser: "svc" }) };
	const parts = { store, keys, access, logger, authority, dialects: Dialects.none };
	return (username: string, author?: string) => new TemplateAccess(parts, { username, author });
}

const forbidden = (error: unknown) => isSvcError(error, "SVC_FORBIDDEN") && /key_value_pair_view/.test(error.message);

test("templates read with the permissions of their user, own items without any", async () => {
	const accessFor = await createSubject();
	assert.equal(await accessFor("maria").lookup("system", "open"), "open");
	await assert.rejects(accessFor("maria").lookup("system", "hidden"), forbidden);
	// What does not exist must not be told from what may not be seen.
	await assert.rejects(accessFor("maria").lookup("system", "absent"), forbidden);
	assert.equal(await accessFor("root").lookup("system", "absent"), undefined);
	assert.equal(await accessFor("maria").lookup("user", "own"), "of maria");
	assert.equal(await accessFor("root").lookup("system", "hidden"), "hidden");
	assert.equal(await accessFor("root").lookup("user", "own"), undefined);
	await assert.rejects(accessFor("nobody").lookup("system", "open"), forbidden);
});

test("a rule reads as the system user, and no more than whoever made it may view", async () => {
	const accessFor = await createSubject();
	assert.equal(await accessFor("svc").lookup("system", "hidden"), "hidden");
	assert.equal(await accessFor("svc", "maria").lookup("system", "open"), "open");
	await assert.rejects(accessFor("svc", "maria").lookup("system", "hidden"), forbidden);
});

test("the user of templates is context.api_user, else context.user, else the system user", () => {
	assert.equal(toDatastoreUser({ api_user: "a", user: "u" }, "svc"), "a");
	assert.equal(toDatastoreUser({ api_user: "", user: "u" }, "svc"), "u");
	assert.equal(toDatastoreUser({}, "svc"), "svc");
});

test.run();

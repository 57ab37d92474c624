import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type AuthBackend, type Credentials, isSvcError, type Logger, SvcError } from "../../contract/index.ts";
import { createOptions } from "../../testing/service-options.ts";
import { ensureFirstUser } from "./first-user.ts";
import { findFirstUserWarning } from "./first-user-checks-exports.ts";

const withRoles = { ...createOptions(), rbac: { ...createOptions().rbac, enable: true } };

function open({ isEmpty = true, refuses = false, isTaken = false } = {}) {
	const users: Credentials[] = [];
	const log: string[] = [];
	const write = (...line: unknown[]) => void log.push(JSON.stringify(line));
	const logger: Logger = { debug: write, info: write, warn: write, error: write };
	const backend: AuthBackend = {
		authenticate: async () => undefined,
		isEmpty: async () => isEmpty && users.length === 0,
		addUser: async (credentials) => {
			if (refuses) throw new SvcError("SVC_INVALID", "password: longer than 72 bytes");
			if (isTaken) throw new SvcError("SVC_CONFLICT", 'user "admin" exists already');
			users.push(credentials);
		},
	};
	return { backend, logger, users, log, systemUser: "svc", warning: undefined };
}

test("where there is no user, admin is made with a random password that is told once and not logged", async () => {
	const first = open();
	const made = await ensureFirstUser({ ...first, adminPassword: undefined });
	assert.equal(made?.username, "admin");
	assert.match(made?.password ?? "", /^[\w-]{24}$/);
	assert.deepEqual(first.users, [made]);
	assert.ok(!first.log.join().includes(made?.password ?? ""));
	assert.equal(await ensureFirstUser({ ...first, adminPassword: undefined }), undefined);
	const second = await ensureFirstUser({ ...open(), adminPassword: "" });
	assert.notEqual(second?.password, made?.password);
});

test("a random password never starts with a dash, which a command line would read as an option", async () => {
	for (let attempt = 0; attempt < 500; attempt += 1) {
		const created = await ensureFirstUser({ ...open(), adminPassword: undefined });
		assert.match(created?.password ?? "", /^\w/);
	}
});

test("a password that was given is used and not told again", async () => {
	const opened = open();
	assert.deepEqual(await ensureFirstUser({ ...opened, adminPassword: "given one" }), { username: "admin" });
	assert.deepEqual(opened.users, [{ username: "admin", password: "given one" }]);
	assert.ok(!opened.log.join().includes("given one"));
});

test("an administrator without a role is told of, in the log and to whoever starts the service", async () => {
	const warning = findFirstUserWarning(withRoles, { assignments: [{ username: "ann", roles: ["admin"] }] });
	assert.match(warning ?? "", /^rbac\.assignments: .*"admin", has no role.*; hint: rbac: \{ assignments/);
	const opened = open();
	const made = await ensureFirstUser({ ...opened, warning, adminPassword: "given one" });
	assert.deepEqual(made, { username: "admin", warning });
	assert.match(opened.log.join(), /has no role and therefore no permissions/);
	assert.equal(findFirstUserWarning(withRoles, { assignments: [{ username: "admin", roles: ["admin"] }] }), undefined);
	assert.equal(findFirstUserWarning(createOptions(), {}), undefined);
});

test("where there are users, or the backend keeps none, nobody is made", async () => {
	const full = open({ isEmpty: false });
	assert.equal(await ensureFirstUser({ ...full, adminPassword: "given one" }), undefined);
	assert.deepEqual(full.users, []);
	const backend = { authenticate: async () => undefined };
	assert.equal(await ensureFirstUser({ ...full, backend, adminPassword: undefined }), undefined);
});

test("a node that starts at the same time may be faster", async () => {
	assert.equal(await ensureFirstUser({ ...open({ isTaken: true }), adminPassword: "given one" }), undefined);
});

test("a given password that cannot be used is a configuration error naming the variable", async () => {
	const made = ensureFirstUser({ ...open({ refuses: true }), adminPassword: "x" });
	await assert.rejects(
		made,
		(error) => isSvcError(error, "SVC_CONFIG") && error.message === "SVC_ADMIN_PASSWORD: password: longer than 72 bytes",
	);
});

test("nobody is made who could not sign in", async () => {
	const opened = { ...open(), systemUser: "Admin" };
	await assert.rejects(ensureFirstUser({ ...opened, adminPassword: "given one" }), { code: "SVC_CONFIG", message: /system_user\.user/ });
	assert.deepEqual(opened.users, []);
});

test.run();

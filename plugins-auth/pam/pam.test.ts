// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { testAuthBackend } from "../../core/testing/auth-suite.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { pam } from "./index.ts";
import { loadPam } from "./library.ts";
import {
	cleanUp,
	findProcesses,
	makeService,
	makeUser,
	readProcess,
	setRules,
	toUnprefixed,
	unixRules,
	withPam,
} from "./pam-site.test-support.ts";

const { test: pamTest } = requires(test, { command: "useradd", package: "koffi", root: true });
const ann = { username: "ann", password: "correct horse" };

test.after(cleanUp);

testAuthBackend({
	test: pamTest,
	name: "pam",
	create: async (users) => {
		for (const user of users) makeUser(user);
		const service = makeService(unixRules);
		const backend = pam({ service }).create();
		const ignore = () => undefined;
		const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
		await backend.start?.({ logger, clock: { now: () => 0 }, dataDirectory: "/nonexistent", nodeId: "test", options: createOptions() });
		return { backend: toUnprefixed(backend), cutOff: async () => setRules(service, "auth required pam_exec.so quiet /bin/false\n") };
	},
});

pamTest("locked and expired accounts, expired passwords and accounts without one are refused", async () => {
	const changes: readonly (readonly [username: string, command: string, ...options: string[]])[] = [
		["locked", "usermod", "-L"],
		["gone", "chage", "-E", "0"],
		["stale", "chage", "-d", "0"],
		["bare", "passwd", "-q", "-d"],
	];
	await withPam({ service: makeService(unixRules) }, async ({ signIn }) => {
		for (const [username, command, ...options] of changes) {
			const name = makeUser({ username, password: ann.password });
			assert.equal(await signIn(name, ann.password), name);
			execFileSync(command, [...options, name], { stdio: "ignore" });
			for (const password of [ann.password, "wrong", "", " "])
				assert.equal(await signIn(name, password), undefined, `${username} ${password}`);
		}
	});
});

pamTest("the service is login unless said otherwise", async () => {
	const name = makeUser(ann);
	await withPam({}, async ({ signIn, logs }) => {
		assert.equal(await signIn(name, ann.password), name);
		assert.deepEqual(logs, []);
	});
});

pamTest("a service that is not defined is told at the start", async () => {
	await withPam({ service: "svct-undefined" }, async ({ logs }) => {
		assert.deepEqual(
			logs.map(({ fields }) => fields),
			[{ service: "svct-undefined" }],
		);
	});
});

pamTest("what PAM could not take whole never reaches it", async () => {
	const name = makeUser(ann);
	// These rules let everybody in whom they are asked about.
	await withPam({ service: makeService("auth required pam_permit.so\naccount required pam_permit.so\n") }, async ({ signIn }) => {
		assert.equal(await signIn(name, "anything"), name);
		for (const username of ["", "a\0", "a\nb", "\u0085", "n".repeat(257)]) assert.equal(await signIn(username, "anything"), undefined);
		for (const password of ["", "\0", "a\0b", "p".repeat(512)]) assert.equal(await signIn(name, password), undefined);
	});
});

pamTest("the delay that modules ask for is kept, and holds up nobody else", async () => {
	const name = makeUser(ann);
	const service = makeService(`auth required pam_faildelay.so delay=2000000\n${unixRules}`);
	await withPam({ service }, async ({ signIn }) => {
		const begin = performance.now();
		const wrong = Array.from({ length: 10 }, async () => {
			assert.equal(await signIn(name, "wrong"), undefined);
			return performance.now() - begin;
		});
		assert.equal(await signIn(name, ann.password), name);
		const time = performance.now() - begin;
		for (const each of await Promise.all(wrong)) assert.ok(each > 1_000 && each > time, `${each} ms, the good one ${time} ms`);
	});
});

pamTest("an unknown user takes as long as a wrong password where hashing takes long", async () => {
	const name = makeUser(ann);
	execFileSync("chpasswd", ["-c", "SHA512", "-s", "400000"], { input: `${name}:${ann.password}\n` });
	await withPam({ service: makeService(unixRules) }, async ({ signIn }) => {
		const time = async (username: string) => {
			const begin = performance.now();
			assert.equal(await signIn(username, "wrong"), undefined);
			return performance.now() - begin;
		};
		// The first attempts tell how long it takes.
		for (let round = 0; round < 3; round++) await time(name);
		const [wrong, unknown] = [await time(name), await time("svct-nobody")];
		assert.ok(wrong < unknown * 1.5 && unknown < wrong * 1.5, `wrong ${wrong} ms, unknown ${unknown} ms`);
	});
});

pamTest("the password is in no argument and no environment, and neither is a secret of the service", async () => {
	const name = makeUser(ann);
	process.env["SVCT_SECRET"] = "canary-of-the-service";
	await withPam({ service: makeService(unixRules) }, async ({ signIn }) => {
		assert.equal(await signIn(name, ann.password), name);
		const [id = 0, ...others] = findProcesses();
		assert.deepEqual(others, []);
		const visible = readProcess(id, "cmdline") + readProcess(id, "environ");
		assert.ok(visible.length > 0 && !visible.includes(ann.password) && !visible.includes("canary-of-the-service"));
	});
	assert.deepEqual(findProcesses(), []);
});

pamTest("without root the start is refused, unless that is said to be right", async () => {
	const service = makeService(unixRules);
	process.seteuid?.(65_534);
	try {
		await assert.rejects(
			withPam({ service }, async () => undefined),
			(error) => isSvcError(error, "SVC_CONFIG") && /must run as root.*check_for_root: false/.test(error.message),
		);
	} finally {
		process.seteuid?.(0);
	}
	await withPam({ service, check_for_root: false }, async () => undefined);
});

test("options that cannot be right are refused at the start", async () => {
	for (const [options, message] of [
		[{ service: "../login" }, /service: "\.\.\/login" must be/],
		[{ service: "" }, /service: must be/],
		[{ timeout: 0 }, /timeout: must be/],
		[{ timeout: Number.NaN }, /timeout: must be/],
	] as const) {
		await assert.rejects(
			withPam({ ...options, check_for_root: false }, async () => undefined),
			(error) => isSvcError(error, "SVC_CONFIG") && message.test(error.message),
		);
	}
});

pamTest("what is missing is named", async () => {
	await assert.rejects(
		loadPam({ name: "libpam-missing.so.0" }),
		(error) => isSvcError(error, "SVC_CONFIG") && /libpam-missing\.so\.0/.test(error.message),
	);
	await assert.rejects(
		loadPam({ importKoffi: () => Promise.reject(new Error("not found")) }),
		(error) => isSvcError(error, "SVC_CONFIG") && /npm install koffi/.test(error.message),
	);
});

test.run();

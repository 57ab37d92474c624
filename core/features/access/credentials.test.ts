import * as assert from "node:assert/strict";
import { test } from "uvu";
import {
	type AuthBackend,
	type ExecutionEntity,
	isSvcError,
	type Logger,
	type OptionsInput,
	type Storage,
	SvcError,
	type SvcErrorCode,
} from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { resolveConfig } from "../../service/config/resolve-config.ts";
import { createBackend } from "../../testing/backends/backend.test-support.ts";
import { configWith } from "../../testing/config/config.test-support.ts";
import { clockOf } from "../../testing/engine/clock-of.test-support.ts";
import { createExecution, createToken } from "../../testing/storage/fixtures.ts";
import { RoleAccess } from "./access.ts";
import { StoredApiKeys } from "./api-keys.ts";
import { VerifiedCredentials } from "./credentials.ts";
import { toHash } from "./tokens.ts";

interface Scope {
	readonly credentials: VerifiedCredentials;
	readonly storage: Storage;
	/** Every line of the log, as text. */
	readonly log: string[];
	/** Seconds to add to the time. */
	wait(seconds: number): void;
	signIn(password?: string, ttl?: number | null): ReturnType<VerifiedCredentials["signIn"]>;
}

interface Setting {
	readonly auth?: OptionsInput["auth"];
	readonly authenticate?: AuthBackend["authenticate"];
	readonly backendTimeout?: number;
	readonly wrap?: (storage: Storage) => Storage;
}

const password = "correct horse";
const ann: Principal = { username: "ann", isAdmin: false, authentication: { method: "none" } };
const authenticateAnn: AuthBackend["authenticate"] = async (credentials) =>
	credentials.username === "ann" && credentials.password === password ? { username: "ann" } : undefined;

async function withCredentials(
	run: (scope: Scope) => Promise<void>,
	{ auth = {}, authenticate = authenticateAnn, backendTimeout, wrap }: Setting = {},
): Promise<void> {
	const backend = createBackend();
	const plain = backend.storage.create();
	const storage = wrap?.(plain) ?? plain;
	const log: string[] = [];
	const write = (message: string, fields: unknown = {}) => void log.push(`${message} ${JSON.stringify(fields)}`);
	const logger: Logger = { debug: write, info: write, warn: write, error: write };
	let now = Date.parse("2026-01-01T00:00:00Z") * 1_000;
	const { options } = resolveConfig(configWith(auth.enable === false ? { auth: { enable: false } } : {}), { env: {}, directory: "/" });
	const clock = clockOf(() => now++);
	const credentials = new VerifiedCredentials({
		storage,
		clock,
		access: new RoleAccess({ storage, clock, logger, enabled: false, config: {} }),
		apiKeys: new StoredApiKeys({ storage, clock, logger, systemUser: "svc" }),
		options: { ...options, auth: { ...options.auth, ...auth } },
		authBackend: { authenticate },
		logger,
		...(backendTimeout !== undefined && { backendTimeout }),
	});
	const signIn: Scope["signIn"] = (given = password, ttl) =>
		credentials.signIn({ username: "ann", password: given }, { signal: new AbortController().signal, ...(ttl !== undefined && { ttl }) });
	const wait = (seconds: number) => {
		now += seconds * 1_000_000;
	};
	try {
		await run({ credentials, storage, log, signIn, wait });
	} finally {
		await backend.release();
	}
}

function isError(code: SvcErrorCode, ...parts: readonly string[]): (error: unknown) => boolean {
	return (error) => {
		assert.ok(isSvcError(error, code), String(error));
		for (const part of parts) assert.ok(error.message.includes(part), `${part} is not in: ${error.message}`);
		return true;
	};
}

test("signing in gives a token that is accepted", () =>
	withCredentials(async ({ credentials, signIn }) => {
		const issued = await signIn();
		assert.match(issued.token, /^[0-9a-f]{32}$/);
		assert.match(issued.id, /^[0-9a-f]{24}$/);
		assert.match(issued.expiry, /^2026-01-02T00:00:00\.\d{6}Z$/);
		assert.deepEqual([issued.user, issued.service, issued.metadata], ["ann", false, {}]);
		const principal = await credentials.authenticate({ token: issued.token, location: "query" });
		assert.deepEqual(principal, {
			username: "ann",
			isAdmin: true,
			credential: `token:${issued.id}`,
			authentication: { method: "authentication token", location: "query", token_expire: "2026-01-02T00:00:00Z" },
		});
		assert.equal(await credentials.validate(issued.token), true);
	}));

test("no token is kept, only its hash", () =>
	withCredentials(async ({ storage, signIn }) => {
		const { token } = await signIn();
		const kept = await storage.find("token", {});
		assert.equal(kept.length, 1);
		assert.match(kept[0]?.token_hash ?? "", /^[0-9a-f]{64}$/);
		assert.ok(!JSON.stringify(kept).includes(token));
	}));

test("the log names user and address for each token granted or refused, and no secret", () =>
	withCredentials(async ({ credentials, log, signIn }) => {
		const { token } = await signIn();
		await assert.rejects(
			credentials.signIn(
				{ username: "ann", password: "wrong horse" },
				{ remoteAddress: "192.0.2.1", signal: new AbortController().signal },
			),
			isError("SVC_UNAUTHORIZED"),
		);
		const granted = log.filter((line) => line.startsWith("token granted"));
		const refused = log.filter((line) => line.startsWith("token refused"));
		assert.equal(granted.length, 1);
		assert.equal(refused.length, 1);
		assert.ok(granted[0]?.includes('"user":"ann"'));
		assert.ok(refused[0]?.includes('"user":"ann","remote_address":"192.0.2.1"'));
		for (const secret of [token, password, "wrong horse"]) assert.ok(!log.join("\n").includes(secret));
	}));

test("the first sign-in makes the user record, later and simultaneous ones do not", () =>
	withCredentials(async ({ storage, signIn }) => {
		await Promise.all([signIn(), signIn(), signIn()]);
		await signIn();
		const users = await storage.find("user", {});
		assert.deepEqual(
			users.map(({ name, is_service, nicknames }) => ({ name, is_service, nicknames })),
			[{ name: "ann", is_service: false, nicknames: {} }],
		);
		assert.equal(await storage.count("token", {}), 4);
	}));

test("the token is for the name the backend verified", () =>
	withCredentials(async ({ signIn }) => assert.equal((await signIn()).user, "ann@example.org"), {
		authenticate: async () => ({ username: "ann@example.org" }),
	}));

test("the lifetime is the one asked for, or token_ttl", () =>
	withCredentials(
		async ({ signIn }) => {
			for (const [ttl, expiry] of [
				[60, "00:01:00"],
				[1, "00:00:01"],
				[3_600, "01:00:00"],
				[null, "01:00:00"],
				[undefined, "01:00:00"],
			] as const) {
				assert.equal((await signIn(password, ttl)).expiry.slice(11, 19), expiry);
			}
		},
		{ auth: { token_ttl: 3_600 } },
	));

test("a bad lifetime is refused, whatever the password", () =>
	withCredentials(
		async ({ signIn, storage }) => {
			for (const given of [password, "wrong"]) {
				for (const ttl of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
					await assert.rejects(signIn(given, ttl), isError("SVC_INVALID", "ttl"));
				await assert.rejects(signIn(given, 3_601), isError("SVC_INVALID", "ttl", "3601", "3600"));
			}
			assert.equal(await storage.count("token", {}), 0);
		},
		{ auth: { token_ttl: 3_600 } },
	));

test("a lifetime beyond every calendar still sorts as text", () =>
	withCredentials(
		async ({ credentials, signIn }) => {
			const { token, expiry } = await signIn();
			assert.equal(expiry.slice(0, 4), "9999");
			assert.equal(await credentials.validate(token), true);
		},
		{ auth: { token_ttl: Number.MAX_SAFE_INTEGER } },
	));

test("no backend sees an empty password or name", () => {
	const asked: string[] = [];
	const authenticate: AuthBackend["authenticate"] = async ({ username }) => {
		asked.push(username);
		return { username };
	};
	return withCredentials(
		async ({ credentials }) => {
			const { signal } = new AbortController();
			for (const wrong of [
				{ username: "ann", password: "" },
				{ username: "", password },
				{ username: "", password: "" },
			]) {
				await assert.rejects(credentials.signIn(wrong, { signal }), isError("SVC_UNAUTHORIZED", "Unauthorized"));
			}
			assert.deepEqual(asked, []);
		},
		{ authenticate },
	);
});

test("a backend that cannot tell gives SVC_UNAVAILABLE, never a token", () =>
	withCredentials(
		async ({ signIn, storage, log }) => {
			await assert.rejects(signIn(), isError("SVC_UNAVAILABLE", "directory away"));
			assert.equal(await storage.count("token", {}), 0);
			assert.ok(log[0]?.startsWith('sign-in could not be verified {"user":"ann"'));
		},
		{
			authenticate: async () => {
				throw new SvcError("SVC_UNAVAILABLE", "directory away");
			},
		},
	));

test("a backend that does not answer counts as away", () => {
	let signal: AbortSignal | undefined;
	return withCredentials(
		async ({ signIn }) => {
			await assert.rejects(signIn(), isError("SVC_UNAVAILABLE", "0.05 seconds"));
			assert.equal(signal?.aborted, true);
		},
		{
			backendTimeout: 0.05,
			authenticate: (_, options) => {
				signal = options.signal;
				return new Promise(() => undefined);
			},
		},
	);
});

test("a sign-in whose client has gone ends with the client's reason", () =>
	withCredentials(
		async ({ credentials, storage }) => {
			const controller = new AbortController();
			const attempt = credentials.signIn({ username: "ann", password }, { signal: controller.signal });
			controller.abort(new Error("gone"));
			await assert.rejects(attempt, /gone/);
			await assert.rejects(credentials.signIn({ username: "ann", password }, { signal: controller.signal }), /gone/);
			assert.equal(await storage.count("token", {}), 0);
		},
		{ authenticate: () => new Promise(() => undefined) },
	));

test("without a known credential there is no principal", () =>
	withCredentials(async ({ credentials, signIn }) => {
		const { token } = await signIn();
		const wrong = [
			undefined,
			{ location: "header" },
			{ token: "", location: "header" },
			{ token: "0".repeat(32), location: "header" },
			{ token: token.toUpperCase(), location: "header" },
			{ token: `${token} `, location: "query" },
			{ apiKey: "0".repeat(64), location: "header" },
			{ apiKey: token, location: "header" },
			{ token, apiKey: "x", location: "header" },
		] as const;
		for (const offered of wrong) {
			await assert.rejects(credentials.authenticate(offered), isError("SVC_UNAUTHORIZED", "Unauthorized"));
		}
		assert.equal(await credentials.validate("nothing"), false);
	}));

test("with authentication off everybody is the system user", () =>
	withCredentials(
		async ({ credentials }) => {
			const systemUser = { username: "svc", isAdmin: true, authentication: { method: "none" } };
			assert.deepEqual(await credentials.authenticate(undefined), systemUser);
			assert.deepEqual(await credentials.authenticate({ token: "wrong", location: "header" }), systemUser);
		},
		{ auth: { enable: false } },
	));

test("a token ends at its expiry, also when it was just in use", () =>
	withCredentials(async ({ credentials, signIn, wait }) => {
		const { token } = await signIn(password, 60);
		assert.equal(await credentials.validate(token), true);
		wait(59);
		assert.equal(await credentials.validate(token), true);
		wait(1);
		assert.equal(await credentials.validate(token), false);
		await assert.rejects(credentials.authenticate({ token, location: "header" }), isError("SVC_UNAUTHORIZED", "Unauthorized"));
	}));

test("a revoked token is refused at once, also when it was just in use", () =>
	withCredentials(async ({ credentials, signIn }) => {
		const first = await signIn();
		const second = await signIn();
		for (const { token } of [first, second]) assert.equal(await credentials.validate(token), true);
		await credentials.revoke(first.token, ann);
		assert.equal(await credentials.validate(first.token), false);
		assert.equal(await credentials.validate(second.token), true);
		await assert.rejects(credentials.revoke(first.token, ann), isError("SVC_NOT_FOUND", "token"));
	}));

test("a token is revoked by its user or an administrator, with a line in the log", () =>
	withCredentials(async ({ credentials, signIn, log }) => {
		const { token } = await signIn();
		await assert.rejects(credentials.revoke(token, { ...ann, username: "bob" }), isError("SVC_FORBIDDEN", "bob"));
		assert.equal(await credentials.validate(token), true);
		await credentials.revoke(token, { ...ann, username: "root", isAdmin: true });
		assert.equal(await credentials.validate(token), false);
		assert.match(log.at(-1) ?? "", /^token revoked .*"user":"ann".*"by":"root"/);
		assert.ok(!log.join().includes(token));
	}));

test("a proxy that is trusted names the user, anybody else does not", () =>
	withCredentials(
		async ({ credentials, log }) => {
			const remote = { username: "ann", peerAddress: "::ffff:10.0.0.1", remoteAddress: "192.0.2.1" };
			const { user, token } = await credentials.signInByProxy(remote, { ttl: 60 });
			assert.equal(user, "ann");
			assert.equal(await credentials.validate(token), true);
			assert.match(log.join(), /token granted .*"remote_address":"192.0.2.1"/);
			for (const peerAddress of ["192.0.2.1", undefined, ""]) {
				await assert.rejects(credentials.signInByProxy({ ...remote, peerAddress }, {}), isError("SVC_UNAUTHORIZED", "trusted proxy"));
			}
			for (const username of ["", undefined]) {
				await assert.rejects(credentials.signInByProxy({ ...remote, username }, {}), isError("SVC_UNAUTHORIZED", "does not name a user"));
			}
			await assert.rejects(credentials.signInByProxy(remote, { ttl: 0 }), isError("SVC_INVALID", "ttl"));
			assert.equal(log.filter((line) => line.startsWith("token refused")).length, 5);
		},
		{ auth: { mode: "proxy", trusted_proxies: ["10.0.0.0/8"] } },
	));

test("in standalone mode no proxy names a user", () =>
	withCredentials(({ credentials }) =>
		assert.rejects(
			credentials.signInByProxy({ username: "ann", peerAddress: "127.0.0.1", remoteAddress: undefined }, {}),
			isError("SVC_UNAUTHORIZED", "Unauthorized"),
		),
	));

test("repeated wrong passwords have to wait, the right one too, and the log says so", () =>
	withCredentials(
		async ({ signIn, log, wait }) => {
			for (let count = 0; count < 3; count += 1) await assert.rejects(signIn("wrong"), isError("SVC_UNAUTHORIZED"));
			await assert.rejects(signIn(), isError("SVC_TOO_MANY", "1 seconds"));
			assert.match(log.at(-1) ?? "", /^token refused: too many failures .*"user":"ann"/);
			wait(2);
			assert.equal((await signIn()).user, "ann");
		},
		{ auth: { failure_limit: 3 } },
	));

test("a token that is looked up while it is revoked is not remembered", () => {
	let finish = () => {};
	let begun = () => {};
	const isReading = new Promise<void>((resolve) => {
		begun = resolve;
	});
	const isRevoked = new Promise<void>((resolve) => {
		finish = resolve;
	});
	let reads = 0;
	const wrap = (storage: Storage): Storage => ({
		...bind(storage),
		find: async (...query) => {
			const found = await storage.find(...query);
			if (query[0] === "token") reads += 1;
			if (query[0] === "token" && reads === 1) {
				begun();
				await isRevoked;
			}
			return found;
		},
	});
	return withCredentials(
		async ({ credentials, signIn }) => {
			const { id, token } = await signIn();
			const early = credentials.validate(token);
			await isReading;
			await credentials.removeToken(id);
			finish();
			assert.equal(await early, true);
			assert.equal(await credentials.validate(token), false);
		},
		{ wrap },
	);
});

test("where other nodes share the storage every look-up asks it", () =>
	withCredentials(
		async ({ credentials, signIn, storage }) => {
			const { id, token } = await signIn();
			assert.equal(await credentials.validate(token), true);
			await storage.remove("token", { where: { id } });
			assert.equal(await credentials.validate(token), false);
		},
		{ wrap: (storage) => ({ ...bind(storage), capabilities: { shared: true } }) },
	));

/** An execution that runs, and the token that its action was given. */
async function startRun({ credentials, storage }: Scope, fields: Partial<ExecutionEntity> = {}) {
	const execution = createExecution({ status: "running", user: "ann", ...fields });
	const { secret: token, token_hash } = credentials.runTokens.issue(execution) ?? { secret: "", token_hash: null };
	await storage.insert("execution", [{ ...execution, token_hash }]);
	return { execution, token, token_hash };
}

test("a token of a running action lives service_token_ttl, and holds while the execution keeps its hash", () =>
	withCredentials(
		async (scope) => {
			const { credentials, storage, wait } = scope;
			const { execution, token } = await startRun(scope);
			const principal = await credentials.authenticate({ token, location: "header" });
			assert.deepEqual([principal.username, principal.author, principal.scopes], ["ann", undefined, undefined]);
			assert.equal(principal.run, execution.liveaction_id);
			const { authentication } = principal;
			assert.equal("token_expire" in authentication && authentication.token_expire, "2026-01-01T00:10:00Z");
			await storage.update("execution", execution.id, { token_hash: null });
			assert.equal(await credentials.validate(token), false);
			const ended = await startRun(scope, { status: "failed", end_timestamp: "2026-01-01T00:00:00.000000Z" });
			assert.equal(await credentials.validate(ended.token), false);
			const other = await startRun(scope);
			wait(598);
			assert.equal(await credentials.validate(other.token), true);
			wait(2);
			assert.equal(await credentials.validate(other.token), false);
			assert.equal(await storage.count("token", {}), 0);
		},
		{ auth: { token_ttl: 60, service_token_ttl: 600 } },
	));

test("a run is given no token while authentication is off", () =>
	withCredentials(async ({ credentials }) => assert.equal(credentials.runTokens.issue(createExecution()), undefined), {
		auth: { enable: false },
	}));

test("a token of a run is good for no other execution and no other time, and in no other form", () =>
	withCredentials(async (scope) => {
		const [{ token, execution, token_hash }, other] = [await startRun(scope), await startRun(scope)];
		const [unguessable, id, expiry] = [token.slice(0, 32), token.slice(32, 56), token.slice(56)];
		assert.equal(id, execution.id);
		for (const changed of [
			unguessable + other.execution.id + expiry,
			`${unguessable}${id}ffffffffff`,
			`${unguessable}${id}${expiry.slice(0, 9)}`,
			`${token}0`,
			token.toUpperCase(),
			id + unguessable + expiry,
			unguessable,
			String(token_hash),
		]) {
			assert.equal(await scope.credentials.validate(changed), false, changed);
		}
		assert.equal(await scope.credentials.validate(token), true);
	}));

test("a token of a run is ended by its user before the run ends, and by nobody else", () =>
	withCredentials(async (scope) => {
		const { credentials, storage } = scope;
		const [{ token, execution }, other] = [await startRun(scope), await startRun(scope)];
		await assert.rejects(credentials.revoke(token, { ...ann, username: "bob" }), isError("SVC_FORBIDDEN", "bob"));
		assert.equal(await credentials.validate(token), true);
		await credentials.revoke(token, ann);
		assert.equal(await credentials.validate(token), false);
		assert.equal(await credentials.validate(other.token), true);
		assert.equal((await storage.get("execution", execution.id))?.status, "running");
		await assert.rejects(credentials.revoke(token, ann), isError("SVC_NOT_FOUND", "token"));
	}));

test("a token of the system user counts while it is a run's, and no other that was kept", () =>
	withCredentials(async (scope) => {
		const { credentials, storage } = scope;
		const { token } = await startRun(scope, { user: "svc" });
		assert.equal((await credentials.authenticate({ token, location: "header" })).username, "svc");
		for (const service of [true, false]) {
			const kept = (service ? "a" : "b").repeat(32);
			await storage.insert("token", [createToken(toHash(kept), { user: "svc", service, expiry: "2027-01-01T00:00:00.000000Z" })]);
			const asked = credentials.authenticate({ token: kept, location: "header" });
			if (service) assert.equal((await asked).username, "svc");
			else await assert.rejects(asked, isError("SVC_UNAUTHORIZED", "system_user.user"));
		}
	}));

test("a token of a run says whose rule has started it and what the key may that it was started with, also where an earlier version kept it", () =>
	withCredentials(async (scope) => {
		const { credentials, storage } = scope;
		const { token } = await startRun(scope, { user: "svc", author: "ann", scopes: ["action_list"] });
		const kept = "c".repeat(32);
		const metadata = { service: "actionrunner", author: "ann", scopes: ["action_list"] };
		const expiry = "2027-01-01T00:00:00.000000Z";
		await storage.insert("token", [createToken(toHash(kept), { user: "svc", service: true, expiry, metadata })]);
		for (const one of [token, kept]) {
			const { username, author, scopes, isAdmin } = await credentials.authenticate({ token: one, location: "header" });
			assert.deepEqual([username, author, scopes, isAdmin], ["svc", "ann", ["action_list"], false]);
		}
	}));

/** The storage with its methods as own members, so that single ones can be replaced. */
function bind(storage: Storage): Storage {
	return {
		capabilities: storage.capabilities,
		insert: storage.insert.bind(storage),
		get: storage.get.bind(storage),
		find: storage.find.bind(storage),
		count: storage.count.bind(storage),
		distinct: storage.distinct.bind(storage),
		update: storage.update.bind(storage),
		claim: storage.claim.bind(storage),
		remove: storage.remove.bind(storage),
		write: storage.write.bind(storage),
	};
}

test.run();

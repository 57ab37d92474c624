import * as assert from "node:assert/strict";
import { inspect } from "node:util";
import { getContractVersion } from "../contract/contract-version.ts";
import { type AuthBackend, type Credentials, isSvcError } from "../contract/index.ts";
import { assertKnownContract, contractStatement } from "./assert-contract.ts";
import { type CreateInteractive, checkInteractive } from "./auth/interactive-checks.ts";
import { guardTests } from "./test-guard.ts";

/** An auth backend with the users of the suite. */
export interface AuthBackendUnderTest {
	/** The started backend. The suite stops it. */
	readonly backend: AuthBackend;
	/** Makes it impossible to verify a password, for example by stopping the server or removing the file. */
	cutOff(): Promise<void>;
	/** Called after each test, once the backend has stopped. */
	cleanUp?(): Promise<void>;
}

/** Options of the conformance suite for auth backends. */
export interface AuthBackendSuiteOptions {
	/** Registers one test. Accepts the `test` function of uvu or of node:test. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Prefix of every test name. */
	readonly name: string;
	/** Creates a backend with exactly these users. Omit it for a backend that does not verify passwords. */
	readonly create?: (users: readonly Credentials[]) => Promise<AuthBackendUnderTest>;
	/** Creates a backend that uses the suite's OpenID Connect provider (`interactive`). Default: provider sign-in is not tested. */
	readonly createInteractive?: CreateInteractive;
}

type Scope = AuthBackendUnderTest & {
	/** Returns the verified username, or undefined if the sign-in is refused. */
	signIn(username: string, password: string, signal?: AbortSignal): Promise<string | undefined>;
};
type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;

const ann: Credentials = { username: "ann", password: "correct horse" };
const bob: Credentials = { username: "bob", password: "battery staple" };
/** A password of 72 bytes. Some hash schemes ignore all bytes after the 72nd. */
const longest: Credentials = { username: "longest", password: "0123456789ab".repeat(6) };
const odd: readonly Credentials[] = [
	{ username: "colons", password: ":a::b:" },
	{ username: "spaces", password: "  in and out  " },
	{ username: "unicode", password: "pässwörd – 密码 \u{1f511}" },
	{ username: "quotes", password: `'"\\$(id)\`{{ 1 }}*)(%s` },
];
const users = [ann, bob, longest, ...odd];

/** Registers the conformance suite of `AuthBackend`: one test for each promise of the contract. */
export function testAuthBackend({ name, create, createInteractive, ...given }: AuthBackendSuiteOptions): void {
	const test = guardTests(given.test);
	if (create !== undefined) checkPasswords({ test, name, create });
	if (createInteractive !== undefined) checkInteractive({ test, name, create: createInteractive });
}

type PasswordSuite = Required<Pick<AuthBackendSuiteOptions, "test" | "name" | "create">>;

function checkPasswords({ test, name, create }: PasswordSuite): void {
	const checkWith =
		(known: readonly Credentials[]): Check =>
		(statement, run) =>
			test(`${name}: ${statement}`, async () => {
				const made = await create(known);
				const signIn: Scope["signIn"] = async (username, password, signal = new AbortController().signal) =>
					(await made.backend.authenticate({ username, password }, { signal }))?.username;
				try {
					await run({ ...made, signIn });
				} finally {
					await made.backend.stop?.();
					await made.cleanUp?.();
				}
			});
	checkWith([])(contractStatement, async ({ backend }) => assertKnownContract(getContractVersion(backend)));
	checkAnswers(checkWith(users));
	checkRefusals(checkWith(users));
	checkSpelling(checkWith(users));
	checkNoAnswer(checkWith(users));
	checkFirstUser(checkWith([]), checkWith(users));
	checkKeptUsers(checkWith([ann, bob]));
}

function checkAnswers(check: Check): void {
	check("the right password gives the user's identity", async ({ signIn }) => {
		assert.equal(await signIn(ann.username, ann.password), "ann");
		assert.equal(await signIn(bob.username, bob.password), "bob");
	});

	check("passwords with unusual characters are passed on unchanged", async ({ signIn }) => {
		for (const { username, password } of odd) {
			assert.equal(await signIn(username, password), username);
			assert.equal(await signIn(username, `${password} `), undefined);
		}
	});

	check("concurrent attempts each get their own result", async ({ signIn }) => {
		const attempts = Array.from({ length: 20 }, (_, index) => index);
		const answers = await Promise.all(attempts.map((index) => signIn(ann.username, index % 3 === 0 ? ann.password : bob.password)));
		assert.deepEqual(
			answers,
			attempts.map((index) => (index % 3 === 0 ? "ann" : undefined)),
		);
	});
}

function checkRefusals(check: Check): void {
	check("a wrong password is refused", async ({ signIn }) => {
		for (const password of ["wrong", bob.password, "CORRECT HORSE", "correct hors", "correct horse\n", " "]) {
			assert.equal(await signIn(ann.username, password), undefined, JSON.stringify(password));
		}
	});

	check("an empty password is refused", async ({ signIn }) => {
		assert.equal(await signIn(ann.username, ""), undefined);
		assert.equal(await signIn("nobody", ""), undefined);
	});

	check("an unknown user is refused", async ({ signIn }) => {
		for (const username of ["nobody", "", "*", "an", "ann*", "ann)(uid=*", "__proto__", "ann:x", "ann\nbob", "n".repeat(10_000)]) {
			assert.equal(await signIn(username, ann.password), undefined, JSON.stringify(username.slice(0, 20)));
		}
	});

	check("an unknown user takes about as long as a wrong password", async ({ signIn }) => {
		const time = async (username: string) => {
			const begin = performance.now();
			await signIn(username, "wrong");
			return performance.now() - begin;
		};
		await time(ann.username);
		const rounds = Array.from({ length: 7 }, (_, index) => `nobody-${index}`);
		const times: [wrong: number, unknown: number][] = [];
		for (const username of rounds) times.push([await time(ann.username), await time(username)]);
		// Use the minimum of each, which a busy machine disturbs least. A backend that skips the comparison of the password for unknown
		// users is about a hundred times faster for them.
		const wrong = Math.min(...times.map(([first]) => first));
		const unknown = Math.min(...times.map(([, second]) => second));
		assert.ok(
			Math.abs(wrong - unknown) < 5 || Math.max(wrong, unknown) / Math.min(wrong, unknown) < 3,
			`wrong ${wrong} ms, unknown ${unknown} ms`,
		);
	});
}

function checkSpelling(check: Check): void {
	check("a different spelling of a user name is refused, or resolves to the user's own name", async ({ signIn }) => {
		for (const username of [" ann", "ann ", "\tann", "ANN", "Ann"]) {
			// A directory may accept several spellings of one username. The backend must map them to one user, never to several.
			assert.ok([undefined, "ann"].includes(await signIn(username, ann.password)), JSON.stringify(username));
		}
	});

	check("a NUL character does not truncate or extend a name or password", async ({ signIn }) => {
		for (const password of [`${ann.password}\0`, `${ann.password}\0x`, `${ann.password}\0${ann.password}`, "\0"]) {
			assert.equal(await signIn(ann.username, password), undefined);
		}
		assert.equal(await signIn(`${ann.username}\0`, ann.password), undefined);
	});

	check("a long password is compared in full", async ({ signIn }) => {
		assert.equal(await signIn(longest.username, longest.password), "longest");
		assert.equal(await signIn(longest.username, `${longest.password}x`), undefined);
		assert.equal(await signIn(longest.username, longest.password.slice(0, -1)), undefined);
		assert.equal(await signIn(longest.username, longest.password.repeat(10_000)), undefined);
	});
}

function checkNoAnswer(check: Check): void {
	check("an aborted attempt returns no result", async ({ signIn }) => {
		await assert.rejects(signIn(ann.username, ann.password, AbortSignal.abort()));
		const controller = new AbortController();
		const attempt = signIn(ann.username, "wrong", controller.signal);
		controller.abort();
		await assert.rejects(attempt);
		assert.equal(await signIn(ann.username, ann.password), "ann");
	});

	check(
		"if credentials cannot be verified, every attempt fails with SVC_UNAVAILABLE and reveals no password",
		async ({ backend, cutOff, signIn }) => {
			await cutOff();
			for (const [username, password] of [
				[ann.username, ann.password] as const,
				[ann.username, "wrong word"] as const,
				["nobody", "wrong word"] as const,
			]) {
				await assert.rejects(
					signIn(username, password),
					(error) => isSvcError(error, "SVC_UNAVAILABLE") && !toWholeText(error).includes(password),
				);
			}
			if (backend.isEmpty !== undefined) await assert.rejects(backend.isEmpty(), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
		},
	);
}

function checkFirstUser(checkEmpty: Check, check: Check): void {
	check("isEmpty, if implemented, is false if users exist", async ({ backend }) => {
		assert.notEqual(await backend.isEmpty?.(), true);
	});

	checkEmpty("addUser, if implemented, creates the first user", async ({ backend, signIn }) => {
		if (backend.addUser === undefined) return;
		assert.equal(await backend.isEmpty?.(), true);
		await backend.addUser(ann);
		assert.equal(await backend.isEmpty?.(), false);
		assert.equal(await signIn(ann.username, ann.password), "ann");
		assert.equal(await signIn(ann.username, "wrong"), undefined);
	});
}

function checkKeptUsers(check: Check): void {
	check("stored users can be listed, added, given new passwords and removed", async ({ backend, signIn }) => {
		const { listUsers, setPassword, removeUser } = backend;
		const methods = [listUsers, setPassword, removeUser].filter((method) => method !== undefined);
		assert.ok(methods.length === 0 || methods.length === 3, "listUsers, setPassword and removeUser must all be implemented or none");
		if (methods.length === 0) return;
		const names = async () => [...((await backend.listUsers?.()) ?? [])].sort();
		const refuses = (work: Promise<unknown> | undefined, code: "SVC_CONFLICT" | "SVC_NOT_FOUND") =>
			assert.rejects(work ?? Promise.resolve(), (error) => isSvcError(error, code));
		assert.deepEqual(await names(), ["ann", "bob"]);
		await refuses(backend.setPassword?.({ ...ann, password: "stolen" }, { isNew: true }), "SVC_CONFLICT");
		await refuses(backend.setPassword?.(longest, { isNew: false }), "SVC_NOT_FOUND");
		await refuses(backend.removeUser?.(longest.username), "SVC_NOT_FOUND");
		assert.equal(await signIn(ann.username, ann.password), "ann");
		await backend.setPassword?.(longest, { isNew: true });
		await backend.setPassword?.({ ...ann, password: "another" }, { isNew: false });
		await backend.removeUser?.(bob.username);
		assert.deepEqual(await names(), ["ann", "longest"]);
		assert.equal(await signIn(longest.username, longest.password), "longest");
		assert.equal(await signIn(ann.username, "another"), "ann");
		assert.equal(await signIn(ann.username, ann.password), undefined);
		assert.equal(await signIn(bob.username, bob.password), undefined);
	});
}

/** Returns everything in an error that a log may print, including its facts and causes. */
function toWholeText(error: unknown): string {
	return inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
}

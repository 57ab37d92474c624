import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type AuthBackend, type Credentials, isSvcError, SvcError } from "../../contract/index.ts";
import type { AuthBackendUnderTest } from "../auth-suite.ts";
import { type Broken, withChanges } from "./refusals.test-support.ts";

/** Milliseconds that a comparison takes. */
const effort = 12;

/** A small backend that keeps all promises: hashes in memory, and a comparison that takes its time for everybody. */
export function createSoundBackend(users: readonly Credentials[]): AuthBackendUnderTest {
	const hashes = new Map(users.map(({ username, password }) => [username, toHash(password)]));
	let isCutOff = false;
	const assertReachable = () => {
		if (isCutOff) throw new SvcError("SVC_UNAVAILABLE", "the list of users cannot be read");
	};
	const backend: AuthBackend = {
		async authenticate({ username, password }, { signal }) {
			await delay(effort, undefined, { signal });
			assertReachable();
			return password !== "" && hashes.get(username) === toHash(password) ? { username } : undefined;
		},
		async isEmpty() {
			assertReachable();
			return hashes.size === 0;
		},
		async addUser({ username, password }) {
			hashes.set(username, toHash(password));
		},
		async listUsers() {
			return [...hashes.keys()];
		},
		async setPassword({ username, password }, { isNew }) {
			if (isNew === hashes.has(username)) throw new SvcError(isNew ? "SVC_CONFLICT" : "SVC_NOT_FOUND", `user "${username}"`);
			hashes.set(username, toHash(password));
		},
		async removeUser(username) {
			if (!hashes.delete(username)) throw new SvcError("SVC_NOT_FOUND", `user "${username}"`);
		},
	};
	return { backend, cutOff: async () => void (isCutOff = true) };
}

/** Auth backends that break a promise. */
export const brokenAuthBackends: readonly Broken<AuthBackend>[] = [
	{
		name: "an empty password is accepted",
		refusedBy: "an empty password is refused",
		spoil: (sound) =>
			withChanges(sound, {
				authenticate: async (given, options) => (given.password === "" ? { username: given.username } : sound.authenticate(given, options)),
			}),
	},
	{
		name: 'an outage is answered as "no"',
		refusedBy: "if credentials cannot be verified, every attempt fails with SVC_UNAVAILABLE and reveals no password",
		spoil: onOutage(() => undefined),
	},
	{
		name: 'an outage is answered as "yes"',
		refusedBy: "if credentials cannot be verified, every attempt fails with SVC_UNAVAILABLE and reveals no password",
		spoil: onOutage(({ username }) => ({ username })),
	},
	{
		name: "an outage is an error of no kind",
		refusedBy: "if credentials cannot be verified, every attempt fails with SVC_UNAVAILABLE and reveals no password",
		spoil: onOutage(() => {
			throw new Error("connect ECONNREFUSED");
		}),
		fails: "ECONNREFUSED",
	},
	{
		name: "the error of an outage shows the password",
		refusedBy: "if credentials cannot be verified, every attempt fails with SVC_UNAVAILABLE and reveals no password",
		spoil: onOutage(({ username, password }) => {
			throw new SvcError("SVC_UNAVAILABLE", `cannot bind as ${username}:${password}`);
		}),
		fails: "cannot bind as",
	},
	{
		name: "the facts of an outage's error show the password",
		refusedBy: "if credentials cannot be verified, every attempt fails with SVC_UNAVAILABLE and reveals no password",
		spoil: onOutage((given) => {
			throw new SvcError("SVC_UNAVAILABLE", "the server cannot be reached", { facts: { request: { ...given } } });
		}),
		fails: "the server cannot be reached",
	},
	{
		name: "the cause of an outage's error shows the password",
		refusedBy: "if credentials cannot be verified, every attempt fails with SVC_UNAVAILABLE and reveals no password",
		spoil: onOutage(({ password }) => {
			const cause = new Error("bind failed", { cause: new Error(`no server took "${password}"`) });
			throw new SvcError("SVC_UNAVAILABLE", "the server cannot be reached", { cause });
		}),
		fails: "the server cannot be reached",
	},
	{
		name: "an outage tells known names from unknown ones",
		refusedBy: "if credentials cannot be verified, every attempt fails with SVC_UNAVAILABLE and reveals no password",
		spoil: (sound) =>
			withChanges(sound, {
				authenticate: (given, options) => (given.username === "nobody" ? Promise.resolve(undefined) : sound.authenticate(given, options)),
			}),
	},
	{
		name: "upper and lower case of a password are the same",
		refusedBy: "a wrong password is refused",
		spoil: changing(({ username, password }) => ({ username, password: password.toLowerCase() })),
	},
	{
		name: "a password counts up to its 72nd byte",
		refusedBy: "a long password is compared in full",
		spoil: changing(({ username, password }) => ({ username, password: password.slice(0, 72) })),
	},
	{
		name: "a password ends at a NUL",
		refusedBy: "a NUL character does not truncate or extend a name or password",
		spoil: changing(({ username, password }) => ({ username, password: password.replace(/\0.*$/su, "") })),
	},
	{
		name: "white space around a password is cut off",
		refusedBy: "passwords with unusual characters are passed on unchanged",
		spoil: changing(({ username, password }) => ({ username, password: password.trim() })),
	},
	{
		name: "a name that is written otherwise becomes somebody else",
		refusedBy: "a different spelling of a user name is refused, or resolves to the user's own name",
		spoil: (sound) =>
			withChanges(sound, {
				async authenticate({ username, password }, options) {
					const known = await sound.authenticate({ username: username.trim().toLowerCase(), password }, options);
					return known && { ...known, username };
				},
			}),
	},
	{
		name: "a * in a name stands for any rest",
		refusedBy: "an unknown user is refused",
		spoil: changing(({ username, password }) => ({ username: username === "ann*" ? "ann" : username, password })),
	},
	{
		name: "an unknown user is an error",
		refusedBy: "an unknown user is refused",
		spoil: (sound) =>
			withChanges(sound, {
				async authenticate(given, options) {
					const known = await sound.authenticate(given, options);
					if (known === undefined && given.username !== "ann") throw new Error("no such entry");
					return known;
				},
			}),
		fails: "no such entry",
	},
	{
		name: "an unknown user is answered at once",
		refusedBy: "an unknown user takes about as long as a wrong password",
		spoil: (sound) =>
			withChanges(sound, {
				authenticate: (given, options) =>
					given.username.startsWith("nobody") ? Promise.resolve(undefined) : sound.authenticate(given, options),
			}),
	},
	{
		name: "an abort is ignored",
		refusedBy: "an aborted attempt returns no result",
		spoil: (sound) => withChanges(sound, { authenticate: (given) => sound.authenticate(given, { signal: new AbortController().signal }) }),
	},
	{
		name: "attempts at the same time get each other's answers",
		refusedBy: "concurrent attempts each get their own result",
		spoil(sound) {
			let current: Credentials = { username: "", password: "" };
			return withChanges(sound, {
				async authenticate(given, options) {
					current = given;
					await delay(1);
					return sound.authenticate(current, options);
				},
			});
		},
	},
	{
		name: "it is empty for ever, so that anybody may become the first user",
		refusedBy: "isEmpty, if implemented, is false if users exist",
		spoil: (sound) => withChanges(sound, { isEmpty: async () => true }),
	},
	{
		name: "the first user is not kept",
		refusedBy: "addUser, if implemented, creates the first user",
		spoil: (sound) => withChanges(sound, { addUser: async () => {} }),
	},
	{
		name: "a removed user still signs in",
		refusedBy: "stored users can be listed, added, given new passwords and removed",
		spoil: (sound) => withChanges(sound, { removeUser: async () => {} }),
	},
	{
		name: "a new user takes the name of one who is there",
		refusedBy: "stored users can be listed, added, given new passwords and removed",
		spoil: (sound) => withChanges(sound, { setPassword: async (credentials) => sound.addUser?.(credentials) }),
	},
];

function toHash(password: string): string {
	return createHash("sha256").update(password).digest("hex");
}

function changing(change: (given: Credentials) => Credentials): (sound: AuthBackend) => AuthBackend {
	return (sound) => withChanges(sound, { authenticate: (given, options) => sound.authenticate(change(given), options) });
}

function onOutage(answer: (given: Credentials) => { username: string } | undefined): (sound: AuthBackend) => AuthBackend {
	return (sound) =>
		withChanges(sound, {
			authenticate: (given, options) =>
				sound.authenticate(given, options).catch((error: unknown) => {
					if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
					return answer(given);
				}),
		});
}

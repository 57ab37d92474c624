import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../plugins/storage-knex/index.ts";
import { flatFile } from "../../plugins-auth/flat-file/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { createLogger } from "../service/logger.ts";
import { createService } from "../service/service.ts";

const password = "canary-password-8c1f";
const wrongPassword = "canary-guess-77ab";
const wrongUser = "canary-typed-into-the-name-3e90";

interface Seen {
	readonly label: string;
	readonly text: string;
}

interface Visit {
	readonly url: string;
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
}

/** A service on disk, what it said, and how to ask it. */
interface Aviary {
	readonly urls: { readonly auth: string; readonly api: string; readonly stream: string };
	/** File beside the data directory that actions may write to. */
	readonly outside: string;
	/** Ask, and remember the answer: but for the cookie, which gives a browser the token it was signed in with. */
	ask(visit: Visit): Promise<string>;
	/** Ask for a credential, of which the answer is not remembered; the value of a member. */
	issue(visit: Visit, member: string): Promise<string>;
}

/** Everything the service said, and every file it left, after `use`. */
async function watch(use: (aviary: Aviary) => Promise<void>): Promise<readonly Seen[]> {
	const directory = await mkdtemp(join(tmpdir(), "svc-canary-"));
	const data = join(directory, "data");
	await mkdir(data);
	const seen: Seen[] = [];
	const stream = { write: (text: string) => seen.push({ label: "log", text }) };
	const service = createService(
		{
			storage: knexStorage({ client: "sqlite" }),
			event_bus: memoryBus(),
			runners: [localCommand()],
			auth: { port: 0, backend: flatFile() },
			api: { port: 0 },
			stream: { port: 0 },
			data_dir: data,
		},
		{
			directory,
			adminPassword: password,
			logger: createLogger({ level: "debug", format: "json", mask_secrets: true, mask_secrets_blacklist: [] }, { debug: false, stream }),
		},
	);
	const send = ({ url, method = "GET", headers = {}, body }: Visit) =>
		fetch(url, {
			method,
			headers: { "content-type": "application/json", ...headers },
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
	try {
		const { addresses, firstUser } = await service.start();
		seen.push({ label: "start", text: JSON.stringify(firstUser) });
		await use({
			urls: { auth: addresses.auth ?? "", api: addresses.api ?? "", stream: addresses.stream ?? "" },
			outside: join(directory, "outside"),
			async ask(visit) {
				const response = await send(visit);
				const headers = [...response.headers].filter(([name]) => name !== "set-cookie");
				const text = await response.text();
				seen.push({ label: `${visit.method ?? "GET"} ${new URL(visit.url).pathname}`, text: `${JSON.stringify(headers)} ${text}` });
				return text;
			},
			issue: async (visit, member) => String(((await (await send(visit)).json()) as Record<string, unknown>)[member]),
		});
		await readFiles(data, seen);
		await service.stop();
		const before = seen.length;
		await readFiles(data, seen);
		assert.ok(seen.length > before);
		return seen;
	} finally {
		await service.stop();
		await rm(directory, { recursive: true, force: true });
	}
}

/** Bytes as text, one character each. */
async function readFiles(directory: string, seen: Seen[]): Promise<void> {
	for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
		if (!entry.isFile()) continue;
		seen.push({ label: entry.name, text: await readFile(join(entry.parentPath, entry.name), "latin1") });
	}
}

const basic = (username: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}` });

test("passwords, tokens and keys are in no log, no answer but the one that issues them, and no byte on disk", async () => {
	const secrets: string[] = [password, wrongPassword];
	const seen = await watch(async ({ urls, outside, ask, issue }) => {
		const signIn = { url: `${urls.auth}/auth/v1/tokens`, method: "POST" };
		for (const headers of [basic("admin", wrongPassword), basic("nobody", wrongPassword), { authorization: `Bearer ${wrongPassword}` }]) {
			await ask({ ...signIn, headers });
		}
		const tokens: string[] = [];
		for (let count = 0; count < 3; count += 1) tokens.push(await issue({ ...signIn, headers: basic("admin", password) }, "token"));
		const [token = "", ended = "", queried = ""] = tokens;
		const headers = { "x-auth-token": token };
		const api = `${urls.api}/v1`;
		const key = await issue({ url: `${api}/apikeys`, method: "POST", headers, body: { metadata: { a: 1 } } }, "key");
		secrets.push(...tokens, key);
		await ask({ url: `${urls.auth}/v1/tokens/validate`, method: "POST", headers, body: { token: queried } });
		await ask({ url: `${urls.auth}/v1/tokens/${ended}`, method: "DELETE", headers });
		await ask({ url: `${urls.auth}/v1/tokens/${ended}`, method: "DELETE", headers });
		await ask({ url: `${api}/user?x-auth-token=${queried}` });
		await ask({ url: `${api}/user?svc-api-key=${key}` });
		await ask({ url: `${api}/user`, headers: { cookie: `auth-token=${token}` } });
		await ask({ url: `${api}/user`, headers: { ...headers, "svc-api-key": key } });
		await ask({ url: `${api}/nothing?x-auth-token=${queried}`, headers });
		for (const path of [
			`/apikeys/${key}`,
			`/apikeys/${key}/more`,
			`/tokens/${token}/more`,
			`/apikeys/${key}?show_secrets=true`,
			"/apikeys",
		]) {
			await ask({ url: api + path, headers });
		}
		const command = `printf %s "$SVC_ACTION_AUTH_TOKEN" > ${outside}`;
		const created = await ask({
			url: `${api}/executions`,
			method: "POST",
			headers,
			body: { action: "core.local", parameters: { cmd: command } },
		});
		const { id } = JSON.parse(created) as { id: string };
		await ask({ url: `${urls.stream}/v1/executions/${id}/output?x-auth-token=${queried}` });
		secrets.push(await readFile(outside, "utf8"));
		await ask({ url: `${api}/executions/${id}`, headers });
		await ask({ url: `${api}/apikeys/${key}`, method: "PUT", headers, body: { enabled: false } });
		await ask({ url: `${api}/user`, headers: { "svc-api-key": key } });
		await ask({ url: `${api}/apikeys/${key}`, method: "DELETE", headers });
		await ask({ url: `${api}/user`, headers: { "svc-api-key": key } });
	});
	assert.deepEqual(
		secrets.filter((secret) => secret.length < 16),
		[],
	);
	for (const name of ["log", "htpasswd", "GET /v1/user"])
		assert.ok(
			seen.some(({ label }) => label === name),
			name,
		);
	assert.ok(seen.some(({ text }) => text.startsWith("SQLite format 3")));
	for (const secret of secrets) {
		for (const form of [secret, Buffer.from(secret).toString("base64"), Buffer.from(`admin:${secret}`).toString("base64")]) {
			assert.deepEqual(
				seen.filter(({ text }) => text.includes(form)).map(({ label }) => label),
				[],
				`${form} was seen`,
			);
		}
	}
});

test("what somebody types into the name of a sign-in is kept nowhere on disk", async () => {
	const seen = await watch(async ({ urls, ask }) => {
		for (let count = 0; count < 8; count += 1) {
			await ask({ url: `${urls.auth}/tokens`, method: "POST", headers: basic(wrongUser, "x") });
		}
	});
	const places = new Set(seen.filter(({ text }) => text.includes(wrongUser)).map(({ label }) => label));
	assert.deepEqual([...places], ["log"]);
});

test.run();

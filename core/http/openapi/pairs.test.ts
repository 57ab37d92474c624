// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { routes } from "../../../plugins/_shipped/routes.ts";
import { actionChain } from "../../../plugins-runner/action-chain/index.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { type AuthBackend, type AuthBackendPlugin, defineTelemetry, SvcError } from "../../contract/index.ts";
import { createServiceHttp } from "../../service/create-http.ts";
import type { DeviceDecision, OidcTestProvider } from "../../testing/auth/oidc-test-provider.ts";
import { type TestBrowser, withProviderService } from "../../testing/auth/provider-service.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { DeclaredAnswers, type Exchange } from "../../testing/http/declared-answers.test-support.ts";
import { type MutableDocument, mutants } from "../../testing/http/document-mutants.test-support.ts";
import { exchange, type Sent } from "../../testing/http/exchange.test-support.ts";
import { FailingStorage } from "../../testing/http/failing-storage.test-support.ts";
import { createMemoryLogger, createOptions, FakeEngine, toEngine } from "../../testing/http/fake-engine.test-support.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";
import { aliasBody, policyBody, pollBody, ruleBody, toTrigger } from "../../testing/http/matrix-rows.test-support.ts";
import { createSubject, matrixPacks, matrixRunners } from "../../testing/http/matrix-subject.test-support.ts";
import type { MatrixSubject } from "../../testing/http/rights-row.test-support.ts";
import { toRightsRows } from "../../testing/http/rights-table.test-support.ts";
import type { Component, Route } from "../route.ts";
import { allAnswers } from "./default-responses.ts";
import { type ApiDocument, toDocument } from "./document.ts";

const rows = toRightsRows(routes);
const description = toDocument(routes, "0.0.0");
const packs = {
	...matrixPacks,
	"vault/actions/look.yaml": "name: look\nrunner_type: speak\nentry_point: look.sh\n",
	"vault/actions/look.sh": "echo look\n",
	"vault/actions/asks.yaml": "name: asks\nrunner_type: action-chain\nentry_point: chains/asks.yaml\n",
	"vault/actions/chains/asks.yaml": "chain:\n  - name: one\n    ref: default.ask\ndefault: one\n",
};

type Headers = Readonly<Record<string, string>>;

/** Asks routes of a service, and keeps what was answered. */
class Asker {
	readonly exchanges: Exchange[] = [];
	readonly pairs = new Set<string>();
	readonly #roots: { readonly [C in Component]: string };
	readonly #credential: Headers;

	constructor(roots: { readonly [C in Component]: string }, credential: Headers) {
		this.#roots = roots;
		this.#credential = credential;
	}

	/** With the credential, unless there are other headers. */
	async ask(key: string, sent: Sent): Promise<Exchange> {
		const route = rows.find((row) => row.key === key)?.route;
		assert.ok(route !== undefined, key);
		const answer = await exchange(this.#roots[route.component], route, { headers: this.#credential, ...sent });
		this.exchanges.push({ ...answer, hasCredential: Object.keys(sent.headers ?? this.#credential).length > 0 });
		this.pairs.add(`${key} ${answer.status}`);
		return answer;
	}

	async make(key: string, path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
		return JSON.parse((await this.ask(key, { path, body })).text ?? "") as Readonly<Record<string, unknown>>;
	}
}

/** A path of a route about what is not there. */
function toAbsent({ path }: Route): string {
	return path
		.replace("attribute/:name", "attribute/result")
		.replace(/(?:\*\*)?:(\w+)/g, (_whole, name: string) => (name === "id" ? "0".repeat(24) : "missing"));
}

/** What every route answers, to whoever may and to others. */
async function askAll(asker: Asker, token: string, nobody: string, subject: MatrixSubject): Promise<void> {
	for (const { key, route, row } of rows) {
		const { path, body } = await row.request(subject);
		const sent = { path, ...(body !== undefined && { body }), ...(route.path === "/stream" && { isLeft: true }) };
		assert.equal((await asker.ask(key, sent)).status, row.ok, key);
		await asker.ask(key, { path, headers: { "x-auth-token": token, host: "a/b" } });
		await asker.ask(key, { path, method: "PATCH" });
		await asker.ask(key, { ...sent, headers: {} });
		if (route.permission !== "public") {
			const { status } = await asker.ask(key, { ...sent, headers: { "x-auth-token": nobody } });
			// Where a credential is enough, a cookie is not when the page is somebody else's.
			if (status !== 403) await asker.ask(key, { ...sent, headers: { cookie: `auth-token=${token}`, origin: "https://evil.example" } });
		}
		if (route.path.includes(":")) await asker.ask(key, { ...sent, path: toAbsent(route) });
		if (route.body === undefined) continue;
		await asker.ask(key, { path, body: { long: "x".repeat(20_000) } });
		await asker.ask(key, { path, body: {}, headers: { "x-auth-token": token, "content-encoding": "compress" } });
	}
}

/** Successes of routes whose row in the matrix has none. */
async function askSuccesses(asker: Asker, { ask }: GuardedService, token: string): Promise<void> {
	const headers = { authorization: `Basic ${Buffer.from("root:root").toString("base64")}` };
	await asker.ask("auth POST /tokens", { path: "/tokens", body: {}, headers });
	await ask(token, "POST", "/v1/actions", { name: "ask", runner_type: "inquirer" });
	const { id } = await asker.make("api POST /executions", "/executions", { action: "default.ask" });
	await until(
		"the question",
		20,
		async () => (await asker.ask("api GET /inquiries/:id", { path: `/inquiries/${id}` })).status === 200 || undefined,
	);
	await asker.ask("api PUT /inquiries/:id", { path: `/inquiries/${id}`, body: { id, response: { continue: true } } });
	await asker.ask("api GET /actions/views/entry_point/:ref", { path: "/actions/views/entry_point/vault.look" });
	await asker.ask("api POST /actions/:ref/clone", { path: "/actions/vault.look/clone", body: { dest_pack: "vault", dest_action: "copy" } });
	const known = { "x-auth-token": token, "if-none-match": "*" };
	await asker.ask("api GET /packs/views/file/:pack/icon.png", { path: "/packs/views/file/vault/icon.png", headers: known });
	await asker.ask("api GET /packs/views/file/:pack/**:path", { path: "/packs/views/file/vault/pack.yaml", headers: known });
	for (const method of ["GET", "HEAD"]) {
		for (const sent of [{}, { headers: known }]) await asker.ask(`api ${method} /docs/**:file`, { path: "/docs/index.html", ...sent });
	}
	await asker.ask("api PUT /keys/:name", { path: "/keys/gone", body: { value: "1" } });
	await asker.ask("api DELETE /keys/:name", { path: "/keys/gone" });
	const [trace] = JSON.parse((await asker.ask("api GET /traces", { path: "/traces" })).text ?? "") as { readonly id: string }[];
	await asker.ask("api GET /traces/:id", { path: `/traces/${trace?.id}` });
	const trigger = { type: "core.svc.IntervalTimer", parameters: { unit: "hours", delta: 1 } };
	await ask(token, "POST", "/v1/rules", { ...ruleBody("hourly"), trigger });
	const [timer] = JSON.parse((await asker.ask("api GET /timers", { path: "/timers" })).text ?? "") as { readonly ref: string }[];
	await asker.ask("api GET /timers/:ref", { path: `/timers/${timer?.ref}` });
	const proven = { type: "core.svc.webhook", parameters: { url: "proven", challenge: { query: "c" } } };
	await ask(token, "POST", "/v1/rules", { ...ruleBody("proven"), trigger: proven });
	for (const method of ["GET", "POST"]) await asker.ask(`api ${method} /webhooks/**:url`, { path: "/webhooks/proven?c=1" });
}

/** What a worker asks about a job that it has. */
async function askAsWorker(asker: Asker): Promise<void> {
	const parameters = { svc_worker_labels: { default: ["matrix"] } };
	await asker.make("api POST /actions", "/actions", { name: "elsewhere", runner_type: "speak", parameters });
	await asker.make("api POST /executions", "/executions", { action: "default.elsewhere" });
	const body = { ...pollBody, name: "elsewhere", instance: "1".repeat(32) };
	const job = await until("a job", 20, async () => {
		const { jobs } = await asker.make("api POST /workers/poll", "/workers/poll", body);
		await asker.ask("api GET /workers/:worker", { path: `/workers/${body.name}` });
		return (jobs as readonly { readonly id: string; readonly fence: string }[])[0];
	});
	const ask = (verb: string, given: object) =>
		asker.ask(`api POST /workers/jobs/:id/${verb}`, { path: `/workers/jobs/${job.id}/${verb}`, body: { fence: job.fence, ...given } });
	await ask("files", {});
	await ask("bytes", { start: 0, length: 0 });
	await ask("output", { sequence: 1, pieces: [{ type: "stdout", data: "a word" }] });
	await ask("end", { sequence: 2, pieces: [], succeeded: true, result: {} });
}

/** What is refused because something is there already, or is not there. */
async function askConflicts(asker: Asker, { ask, directory }: GuardedService, token: string, storage: FailingStorage): Promise<void> {
	await asker.ask("api POST /executions", { path: "/executions", body: { action: "default.absent" } });
	await asker.ask("api POST /rules/test", { path: "/rules/test", body: { rule: "default.absent", trigger_instance: "0".repeat(24) } });
	const action = { name: "speak", runner_type: "speak" };
	await asker.ask("api POST /actions", { path: "/actions", body: action });
	await asker.ask("api PUT /actions/:ref", { path: "/actions/default.whisper", body: action });
	const taken = () => new SvcError("SVC_CONFLICT", "another node was faster");
	const refuse = (kind: string) => {
		storage.failure = (member, values) => (member === "write" && JSON.stringify(values).includes(`"${kind}"`) ? taken() : undefined);
	};
	refuse("action");
	await asker.ask("api POST /actions/:ref/clone", {
		path: "/actions/vault.look/clone",
		body: { dest_pack: "vault", dest_action: "other" },
	});
	storage.failure = undefined;
	const key_hash = "ab".repeat(64);
	for (const _time of [1, 2]) await asker.ask("api POST /apikeys", { path: "/apikeys", body: { key_hash } });
	await asker.ask("api POST /rules", { path: "/rules", body: ruleBody("watch") });
	await asker.ask("api PUT /rules/:ref", { path: "/rules/default.hourly", body: ruleBody("watch") });
	await ask(token, "POST", "/v1/policies", policyBody("two"));
	await asker.ask("api POST /policies", { path: "/policies", body: policyBody("one") });
	await asker.ask("api PUT /policies/:ref", { path: "/policies/default.two", body: policyBody("one") });
	await asker.ask("api POST /triggertypes", { path: "/triggertypes", body: { pack: "default", name: "counted" } });
	refuse("trigger_type");
	await asker.ask("api PUT /triggertypes/:ref", { path: "/triggertypes/default.counted", body: { pack: "default", name: "counted" } });
	storage.failure = undefined;
	for (const name of ["a", "b"])
		await ask(token, "POST", "/v1/triggers", { ...toTrigger(`fresh90${name.charCodeAt(0)}`), pack: "default", name });
	await asker.ask("api PUT /triggers/:ref", {
		path: "/triggers/default.b",
		body: { ...toTrigger("fresh777"), pack: "default", name: "a" },
	});
	await askAboutAliases(asker);
	await askToResume(asker);
	await ask(token, "PUT", "/v1/keys/contended", { value: "1" });
	refuse("key_value");
	await asker.ask("api PUT /keys/:name", { path: "/keys/contended", body: { value: "2" } });
	await asker.ask("api DELETE /keys/:name", { path: "/keys/contended" });
	storage.failure = undefined;
	const lock = readdirSync(directory, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("datastore-key.json"));
	writeFileSync(join(directory, `${lock}.lock`), "");
	await asker.ask("api POST /keys/rotate", { path: "/keys/rotate", body: {} });
	rmSync(join(directory, `${lock}.lock`));
}

/** Names of aliases that are taken, and what a command asks for that is not there. */
async function askAboutAliases(asker: Asker): Promise<void> {
	await asker.ask("api POST /actionalias", { path: "/actionalias", body: aliasBody("say") });
	await asker.ask("api PUT /actionalias/:ref", { path: "/actionalias/default.fixed", body: aliasBody("say") });
	const orphan = { name: "orphan", action_ref: "default.absent", formats: ["nobody does this"] };
	await asker.ask("api POST /actionalias", { path: "/actionalias", body: orphan });
	const command = { command: "nobody does this", user: "root", source_channel: "ops" };
	await asker.ask("api POST /aliasexecution", { path: "/aliasexecution", body: { ...command, name: "orphan", format: command.command } });
	await asker.ask("api POST /aliasexecution/match_and_execute", { path: "/aliasexecution/match_and_execute", body: command });
}

/** A workflow that waits for an answer is not resumed. */
async function askToResume(asker: Asker): Promise<void> {
	const { id } = await asker.make("api POST /executions", "/executions", { action: "vault.asks" });
	const path = `/executions/${id}`;
	await until("the workflow is paused", 20, async () => {
		const { text = "" } = await asker.ask("api GET /executions/:id", { path });
		return (JSON.parse(text) as { readonly status: string }).status === "paused" ? true : undefined;
	});
	assert.equal((await asker.ask("api PUT /executions/:id", { path, body: { status: "resuming" } })).status, 409);
}

/** Lists all of which counts as a stream. */
const wholeLists = [
	"/executions",
	"/triggerinstances",
	"/ruleenforcements",
	"/ruleenforcements/views",
	"/traces",
	"/webhook_deliveries",
	"/audit/entries",
	"/audit/checkpoints",
	"/rbac/role_assignments",
	"/webhooks",
	"/timers",
	"/triggers",
];

/** More streams than one may hold, and more attempts to sign in than are allowed. */
async function askTooMuch(asker: Asker, execution: string): Promise<void> {
	const leaving = new AbortController();
	for (const _held of [1, 2, 3]) await asker.ask("stream GET /stream", { path: "/stream", leave: leaving.signal });
	for (const component of ["api", "stream"])
		await asker.ask(`${component} GET /executions/:id/output`, { path: `/executions/${execution}/output` });
	await asker.ask("api GET /executions/:id/output/lines", { path: `/executions/${execution}/output/lines` });
	for (const path of wholeLists) assert.equal((await asker.ask(`api GET ${path}`, { path: `${path}?limit=-1` })).status, 429, path);
	await asker.ask("api GET /executions/:id/children", { path: `/executions/${execution}/children?limit=-1` });
	leaving.abort();
	const headers = { authorization: `Basic ${Buffer.from("mallory:wrong").toString("base64")}` };
	await until(
		"too many attempts",
		60,
		async () => (await asker.ask("auth POST /tokens", { path: "/tokens", body: {}, headers })).status === 429 || undefined,
	);
}

/** A storage that fails, and a service that has not started. */
async function askFailing(asker: Asker, subject: MatrixSubject, storage: FailingStorage): Promise<void> {
	const requests = [];
	for (const { key, row } of rows) requests.push({ key, ...(await row.request(subject)) });
	storage.failure = () => new Error("planted");
	const basic = { authorization: `Basic ${Buffer.from("root:root").toString("base64")}` };
	for (const { key, ...sent } of requests) {
		// Another token each time: those that were looked up are remembered.
		const headers = key === "auth POST /tokens" ? basic : { "x-auth-token": randomBytes(16).toString("hex") };
		await asker.ask(key, { ...sent, headers });
	}
	storage.failure = undefined;
}

async function askStarting(): Promise<Asker> {
	const parts = { engine: toEngine(new FakeEngine()), options: createOptions(), logger: createMemoryLogger() };
	const http = createServiceHttp({ ...parts, isClosed: true });
	const { auth = "", api = "", stream = "" } = await http.start();
	const asker = new Asker({ auth, api, stream }, {});
	for (const { key, route } of rows) await asker.ask(key, { path: toAbsent(route), headers: {} });
	await http.stop();
	return asker;
}

let isMeasured = false;
const measured = defineTelemetry("measured", () => ({
	description: "One metric, once somebody measures.",
	expose: async () => (isMeasured ? { contentType: "text/plain", text: "svc_executions_held 1\n" } : undefined),
}));

/** What a service with a provider of sign-ins answers, to browsers and devices; and then with a storage that fails. */
async function askProvider(): Promise<Asker> {
	const storage = new FailingStorage();
	let asker: Asker | undefined;
	let isBusy = false;
	await withProviderService(
		async ({ urls, openBrowser, provider }) => {
			const own = new Asker(urls, {});
			asker = own;
			const begin = () => own.ask("auth POST /sso/request", { path: "/sso/request", body: {} });
			await begin();
			await own.ask("auth POST /sso/request", { path: "/sso/request", body: {}, headers: { origin: "https://evil.example" } });
			await own.ask("auth GET /sso/sign-out", { path: "/sso/sign-out" });
			await own.ask("auth GET /sso/callback", { path: "/sso/callback?state=x" });
			const say = (logout_token: string) =>
				own.ask("auth POST /sso/back-channel-logout", { path: "/sso/back-channel-logout", body: { logout_token } });
			assert.deepEqual([(await say("x")).status, (await say(provider.toSignOut())).status], [400, 200]);
			provider.person = { ...provider.person, sid: "another session" };
			const comeBack = async () => {
				const browser = openBrowser();
				const query = await provider.signIn(await browser.begin());
				const headers = { cookie: browser.cookie() };
				return own.ask("auth GET /sso/callback", { path: `/sso/callback?${query}`, headers });
			};
			assert.equal((await comeBack()).status, 303);
			const device = async () => {
				const { device_code } = await own.make("auth POST /sso/device", "/sso/device", {});
				return { path: "/sso/device/token", body: { device_code } };
			};
			const poll = async (decision: DeviceDecision) => {
				provider.deviceDecision = decision;
				return own.ask("auth POST /sso/device/token", await device());
			};
			for (const decision of ["authorization_pending", "access_denied", "yes"] as const) await poll(decision);
			storage.failure = () => new Error("planted");
			assert.equal((await comeBack()).status, 500);
			assert.equal((await say(provider.toSignOut())).status, 500);
			assert.equal((await poll("yes")).status, 500);
			storage.failure = undefined;
			isBusy = true;
			assert.equal((await say(provider.toSignOut())).status, 429);
			await askTooManyAtOnce(own, provider, { callback: openBrowser, device: await device() });
		},
		{ storage: (plugin) => storage.wrap(plugin), wrap: (backend) => busyBackend(backend, () => isBusy) },
	);
	assert.ok(asker !== undefined);
	return asker;
}

/**
 * The same backend, which may be too busy for messages of the provider: thousands would have to wait until the service itself refuses one.
 */
function busyBackend(plugin: AuthBackendPlugin, isBusy: () => boolean): AuthBackendPlugin {
	const create = (): AuthBackend => {
		const backend = plugin.create();
		const { interactive } = backend;
		const verify = interactive?.verifySignOut?.bind(interactive);
		if (interactive === undefined || verify === undefined) return backend;
		interactive.verifySignOut = async (...given) => {
			if (isBusy()) throw new SvcError("SVC_TOO_MANY", "too many messages", { facts: { retry_after: 5 } });
			return verify(...given);
		};
		return backend;
	};
	return { ...plugin, create };
}

/** More than may wait at one address, while the provider answers nothing. */
async function askTooManyAtOnce(
	asker: Asker,
	provider: OidcTestProvider,
	{ callback, device }: { readonly callback: () => TestBrowser; readonly device: Sent },
): Promise<void> {
	const browser = callback();
	const query = await provider.signIn(await browser.begin());
	const waiting: ServerResponse[] = [];
	provider.failure = (response) => waiting.push(response);
	const back = { path: `/sso/callback?${query}`, headers: { cookie: browser.cookie() } };
	const held = Array.from({ length: 80 }, () => asker.ask("auth GET /sso/callback", back));
	const others = [asker.ask("auth POST /sso/device/token", device), asker.ask("auth POST /sso/device", { path: "/sso/device", body: {} })];
	// The oldest are given up: those that came first make room for these.
	for (let more = 0; more < 80; more += 1) held.push(asker.ask("auth GET /sso/callback", back));
	const statuses = (await Promise.all(others)).map(({ status }) => status);
	assert.deepEqual(statuses, [429, 429]);
	provider.failure = undefined;
	for (const response of waiting) response.writeHead(503).end();
	await Promise.all(held);
}

async function drive(): Promise<readonly Asker[]> {
	const storage = new FailingStorage();
	const docs_dir = mkdtempSync(join(tmpdir(), "svc-pairs-"));
	for (const name of ["index.html", "404.html"]) writeFileSync(join(docs_dir, name), "<!doctype html>");
	let asker: Asker | undefined;
	await withGuardedService(
		async (service) => {
			const token = await service.signIn("root");
			const subjectOf = await createSubject(service, token);
			const subject = subjectOf("root");
			asker = new Asker(service.urls, { "x-auth-token": token });
			await askAll(asker, token, await service.signIn("nobody"), subject);
			await askSuccesses(asker, service, token);
			await askAsWorker(asker);
			await askConflicts(asker, service, token, storage);
			await askTooMuch(asker, subject.execution);
			await askFailing(asker, subject, storage);
			isMeasured = true;
			await asker.ask("api GET /metrics", { path: "/metrics" });
			for (const verb of ["drain", "resume"]) await asker.ask(`api POST /nodes/:node/${verb}`, { path: `/nodes/${hostname()}/${verb}` });
		},
		{
			packs,
			telemetry: [measured()],
			runners: [...matrixRunners, inquirer(), actionChain()],
			api: { max_body_size: 10_000 },
			stream: { max_per_user: 2 },
			workers: { runners: ["speak"] },
			webui: { docs_dir },
			storage: (plugin) => storage.wrap(plugin),
		},
	);
	rmSync(docs_dir, { recursive: true });
	assert.ok(asker !== undefined);
	return [asker, await askProvider(), await askStarting()];
}

let driven: Promise<readonly Asker[]> | undefined;
/** Once for all tests: it takes a while. */
const everything = () => (driven ??= drive());

test("every status that a route declares is answered, and no other", async () => {
	const pairs = (await everything()).flatMap(({ pairs: own }) => [...own]);
	const declared = rows.flatMap(({ key, route }) => [...allAnswers(route).keys(), 405].map((status) => `${key} ${status}`));
	assert.deepEqual(
		declared.filter((pair) => !pairs.includes(pair)),
		[],
		"never seen",
	);
	assert.deepEqual(
		pairs.filter((pair) => !declared.includes(pair)),
		[],
		"not declared",
	);
});

test("every answer is as the description of the API says", async () => {
	const exchanges = (await everything()).flatMap((asker) => asker.exchanges);
	assert.ok(exchanges.length > 800, String(exchanges.length));
	assert.deepEqual(findProblems(description, exchanges), []);
});

for (const { name, path, mutate } of mutants)
	test(`a description with ${name} is found out`, async () => {
		const exchanges = (await everything()).flatMap((asker) => asker.exchanges.filter((one) => one.path === path));
		const mutant = structuredClone(description);
		mutate(mutant as unknown as MutableDocument);
		const declared = new DeclaredAnswers(mutant);
		assert.ok(exchanges.some((one) => declared.findProblem(one) !== undefined));
	});

function findProblems(document: ApiDocument, exchanges: readonly Exchange[]): readonly string[] {
	const declared = new DeclaredAnswers(document);
	return exchanges.flatMap((one) => declared.findProblem(one) ?? []);
}

test.run();

// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { routes } from "../../plugins/_shipped/routes.ts";
import { runSvc } from "../../plugins/_shipped/run-svc.ts";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";
import { until } from "../testing/guarantees/until.test-support.ts";
import { assertAbsent } from "../testing/http/absent-texts.test-support.ts";
import { type Ask, type Aviary, type Remains, type Seen, withAviary } from "../testing/http/aviary.test-support.ts";
import { canaries, canaryAlias, canaryItems, canaryParameters, canaryRule } from "../testing/http/canary-pack.test-support.ts";
import { CanaryWorkers } from "../testing/http/canary-worker.test-support.ts";

type Records = readonly Readonly<Record<string, unknown>>[];

/** Columns that rules, runs and people who may ask for secrets need real values in. */
const mayHold: ReadonlySet<string> = new Set([
	"action.parameters",
	"action_alias.immutable_parameters",
	"snapshot.action",
	"execution.parameters",
	"execution.result",
	"execution.log",
	"output_chunk.data",
	"trigger_instance.payload",
	"trigger.parameters",
	"rule_snapshot.trigger",
]);

const prefixes = { auth: "/auth/v1", api: "/v1", stream: "/stream/v1" } as const;

let watched: Promise<Watched> | undefined;
/** Once for all tests: it takes a while. */
const masked = () => (watched ??= watch());

test("no role, stream, log, command or column that should not gives away a canary", async () => {
	const { seen, tokens, remains, given } = await masked();
	assert.ok(tokens.length > 6 && tokens.every((token) => token.length === 66));
	assert.ok(seen.length > 1_000, String(seen.length));
	assert.ok(seen.some(({ text }) => text.includes("svc.announcement__chatops")));
	const { default: ofFile, ...others } = canaries;
	assertAbsent(formsOf(others), seen);
	assertAbsent(
		formsOf({ default: ofFile }),
		seen.filter((one) => !isInFile(one)),
	);
	assert.ok(seen.some((one) => isInFile(one) && one.text.includes(ofFile)));
	assertAbsent(formsOf(tokens), [...seen, ...toSeen(remains, new Set()), ...remains.files]);
	assertAbsent(formsOf(canaries), toSeen(remains, mayHold));
	// Somebody who looks for nothing finds nothing.
	for (const one of [canaries.parameter, canaries.item, canaries.configuration, tokens.at(-1) ?? "-"])
		assert.ok(
			given.some((text) => text.includes(one)),
			one,
		);
	assert.ok(seen.some(({ text }) => text.includes('"trigger_title":"aviary.guarded colour=red pin=********"')));
	for (const column of ["worker_job.spec", "worker_output.data"]) assert.ok((remains.columns.get(column) ?? "").length > 1_000, column);
	assert.ok(remains.files.some(({ label }) => label === "backup.db"));
	for (const column of mayHold) assert.match(remains.columns.get(column) ?? "", /canary-/, column);
});

test("an administrator who asks for secrets sees each canary but the token, and the log says so", async () => {
	const { shown, tokens, log } = await masked();
	const all = shown.map(({ text }) => text).join("\n");
	for (const [kind, secret] of Object.entries(canaries))
		assert.ok(
			toForms(String(secret)).some((form) => all.includes(form)),
			kind,
		);
	assertAbsent(formsOf(tokens), shown);
	assert.match(log.join(""), /"message":"secrets shown".*"user":"root","path":"[^"]*executions/);
});

test("with masking switched off an administrator and the log are given the secrets of a run, and never its token", async () => {
	const seen: Seen[] = [];
	let tokens: readonly string[] = [];
	let log: readonly string[] = [];
	await withAviary(
		async (aviary) => {
			const root = aviary.as({ "x-auth-token": await aviary.signIn("root") });
			await storeSecrets(root);
			const id = await start(root, "aviary.parrot", { ...canaryParameters, mode: "throw" }, seen);
			await ends(root, [id]);
			await look(root, "admin", { executions: [id], keys: Object.keys(canaryItems) }, seen);
			({ tokens, log } = aviary);
		},
		{ masks: false },
	);
	const all = [...seen.map(({ text }) => text), ...log];
	// The others are those of rules, of notices and of an answer; `mint` alone has the result.
	const { ruleItem: _rule, noticeItem: _notice, answer: _answer, result: _result, alias: _alias, trigger: _trigger, ...ofRun } = canaries;
	for (const [kind, forms] of formsOf(ofRun))
		assert.ok(
			forms.some((form) => all.some((text) => text.includes(form))),
			kind,
		);
	assert.ok(log.some((text) => text.includes(canaries.parameter)));
	assert.ok(tokens.length > 0);
	assertAbsent(formsOf(tokens), [...seen, ...log.map((text) => ({ label: "log", text }))]);
});

/** Whether an answer shows a file of the pack: a user who may see the pack sees its files as they are, with the default in them. */
function isInFile({ label }: Seen): boolean {
	return /^(admin|observer|owner): api \/packs\/views\/file/.test(label);
}

interface Watched {
	readonly seen: readonly Seen[];
	/** What an administrator saw who asked for secrets. */
	readonly shown: readonly Seen[];
	readonly tokens: readonly string[];
	readonly log: readonly string[];
	readonly remains: Remains;
	/** What the worker was told that holds a run. */
	readonly given: readonly string[];
}

async function watch(): Promise<Watched> {
	const seen: Seen[] = [];
	const shown: Seen[] = [];
	let tokens: readonly string[] = [];
	let log: readonly string[] = [];
	let given: readonly string[] = [];
	const remains = await withAviary(async (aviary) => {
		const callers = await toCallers(aviary);
		const root = aviary.as(callers["admin"] as Record<string, string>);
		const streams = await Promise.all(Object.entries(callers).map(([name, credential]) => follow(aviary, name, credential)));
		const workers = await CanaryWorkers.join(aviary, root, seen);
		await live(aviary, seen, { callers, workers });
		const ids = await findIds(root);
		const sitting = await workers.sit();
		const watchers = Object.entries(callers);
		for (const [name, credential] of watchers)
			seen.push({ label: `${name}: a run on a worker`, text: (await aviary.as(credential)("GET", `/v1/executions/${sitting}`)).text });
		for (const [index, [name, credential]] of watchers.entries())
			await look(aviary.as(credential), name, index === 0 ? ids : sample(ids, index), seen);
		await askCommands(aviary, await aviary.signIn("observer"), ids, seen);
		await look(root, "admin", ids, shown, "show_secrets=true");
		for (const stop of streams) seen.push(await stop());
		tokens = aviary.tokens;
		log = aviary.log;
		given = workers.given;
	});
	return { seen: [...seen, ...log.map((text) => ({ label: "log", text }))], shown, tokens, log, remains, given };
}

/** One credential of each kind. */
async function toCallers(aviary: Aviary): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
	const token = async (name: string) => ({ "x-auth-token": await aviary.signIn(name) });
	const admin = await token("root");
	const scopes = ["execution_view", "execution_list", "stream_view", "trigger_instance_view", "rule_enforcement_view", "trace_view"];
	const made = await aviary.as(admin)("POST", "/v1/apikeys", { scopes });
	return {
		admin,
		observer: await token("observer"),
		owner: await token("owner"),
		"one permission": await token("looker"),
		"no role": await token("nobody"),
		"scoped key": { "svc-api-key": String(parse(made.text)["key"]) },
	};
}

/** Everything that may happen to a secret. */
async function live(
	aviary: Aviary,
	seen: Seen[],
	{ callers, workers }: { readonly callers: Awaited<ReturnType<typeof toCallers>>; readonly workers: CanaryWorkers },
): Promise<void> {
	const root = aviary.as(callers["admin"] ?? {});
	const owner = aviary.as(callers["owner"] ?? {});
	await storeSecrets(root);
	const said = [
		await start(root, "aviary.parrot", { ...canaryParameters, mode: "spell" }, seen),
		await start(owner, "aviary.parrot", canaryParameters, seen),
		await start(root, "aviary.parrot", { ...canaryParameters, mode: "fly" }, seen),
		await start(root, "aviary.parrot", { ...canaryParameters, mode: "mint" }, seen),
		await start(root, "aviary.parrot", { ...canaryParameters, mode: "fail" }, seen),
		await start(root, "aviary.parrot", { ...canaryParameters, mode: "throw" }, seen),
		await start(root, "core.local", { cmd: "env; echo $SVC_ACTION_AUTH_TOKEN" }, seen),
	];
	for (const end of ["succeeded", "failed", "error"] as const) said.push(await workers.fly(end));
	// What is said in the chat goes to everybody who follows the stream.
	seen.push({ label: "alias", text: (await root("POST", "/v1/actionalias", canaryAlias)).text });
	for (const ask of [root, owner]) {
		const request = { command: `sing "${canaries.parameter}"`, source_channel: "branch", notification_route: "chatops" };
		const { status, text } = await ask("POST", "/v1/aliasexecution/match_and_execute", request);
		assert.equal(status, 201, text);
		seen.push({ label: "sing", text });
		said.push(String((parse(text)["results"] as { execution: { id: string } }[])[0]?.execution.id));
	}
	const guarded = await root("POST", "/v1/rules", canaryRule);
	const { ref } = parse(guarded.text)["trigger"] as { readonly ref: string };
	await expect(root("POST", "/v1/webhooks/svc", { trigger: ref, payload: { said: "red" } }), 202);
	seen.push({ label: "rule on a secret", text: guarded.text });
	const schema = { type: "object", properties: { word: { type: "string", secret: true } } };
	const question = await start(root, "aviary.asker", { schema, route: "nowhere" }, seen);
	await until("the question is asked", 30, async () =>
		(await root("GET", `/v1/inquiries/${question}`)).status === 200 ? true : undefined,
	);
	seen.push({
		label: "answer",
		text: (
			await root("PUT", `/v1/inquiries/${question}`, {
				id: question,
				response: { word: canaries.answer },
				reason: `because of ${canaries.answer}`,
			})
		).text,
	});
	await ends(root, said);
	for (const [label, path, body] of [
		["re-run", `/v1/executions/${said[0]}/re_run`, { parameters: { mode: "say" } }],
		["wrong template", "/v1/executions", { action: "aviary.hearer", parameters: { note: "{{ {}[svckv.system.item | decrypt_kv] }}" } }],
		["wrong part", "/v1/executions", { action: "aviary.parrot", parameters: { ...canaryParameters, mode: "{{ {}[pin] }}" } }],
		["configured", "/v1/executions", { action: "aviary.parrot", parameters: { mode: "{{ {}[config_context.pin] }}" } }],
	] as const) {
		const { status, text } = await root("POST", path, body);
		assert.equal(status, label === "re-run" ? 201 : 400, text);
		seen.push({ label, text });
	}
	await quiet(root);
	const [instance] = await list(root, "/v1/triggerinstances?trigger_type=aviary.flown");
	const again = `/v1/triggerinstances/${String(instance?.["id"])}/re_emit?reason=${encodeURIComponent(`lost ${canaries.parameter}`)}`;
	seen.push({ label: "re-emit", text: (await root("POST", again)).text });
	const tested = { rule: "aviary.flown", trigger_instance: String(instance?.["id"]) };
	seen.push({ label: "rule test", text: (await root("POST", "/v1/rules/test", tested)).text });
	await quiet(root);
}

/** Stores the items of the datastore and the configuration of the pack. */
async function storeSecrets(root: Ask): Promise<void> {
	for (const [name, value] of Object.entries(canaryItems)) await expect(root("PUT", `/v1/keys/${name}`, { value, secret: true }), 200, 201);
	const configuration = { pin: canaries.configuration, item: "{{ svckv.system.configured }}", colour: "red" };
	await expect(root("PUT", "/v1/configs/aviary", configuration), 200);
}

/** Starts an execution and notes the answer. Returns its id. */
async function start(ask: Ask, action: string, parameters: object, seen: Seen[]): Promise<string> {
	const made = await ask("POST", "/v1/executions", { action, parameters });
	seen.push({ label: `POST ${action}`, text: made.text });
	assert.equal(made.status, 201, made.text);
	return String(parse(made.text)["id"]);
}

async function ends(ask: Ask, ids: readonly string[]): Promise<void> {
	for (const id of ids) await ask("GET", `/stream/v1/executions/${id}/output`);
}

const settled: ReadonlySet<string> = new Set(["succeeded", "failed", "abandoned", "canceled", "timeout", "processed", "processing_failed"]);

/** Nothing is going on any more, and what had to happen has. */
async function quiet(ask: Ask): Promise<void> {
	let before = -1;
	await until("nothing goes on", 60, async () => {
		const executions = await list(ask, "/v1/executions?limit=-1");
		const events = await list(ask, "/v1/triggerinstances?limit=-1");
		const isDone = [...executions, ...events].every(({ status }) => settled.has(String(status)));
		const isQuiet = isDone && events.length === before;
		before = events.length;
		return isQuiet ? true : undefined;
	});
}

type Ids = Readonly<Record<string, readonly string[]>>;

async function findIds(ask: Ask): Promise<Ids> {
	const read = async (path: string) => [...(await list(ask, path))];
	const executions = await read("/v1/executions?limit=-1");
	const nameOf = (value: unknown) => String((value as { readonly name?: string; readonly ref?: string } | undefined)?.name);
	assert.ok(new Set(executions.map(({ rule }) => nameOf(rule))).size >= 5, "rules have acted");
	assert.ok(
		executions.some(({ context }) => "policies" in (context as object)),
		"a policy has acted",
	);
	const events = await read("/v1/triggerinstances?limit=-1");
	const enforcements = await read("/v1/ruleenforcements?limit=-1");
	return {
		executions: oneOfEach(executions, ({ action, rule, status }) => [nameOf(action), nameOf(rule), status]),
		triggerinstances: oneOfEach(events, ({ trigger_type, payload }) => [trigger_type, (payload as { action_ref?: string }).action_ref]),
		ruleenforcements: oneOfEach(enforcements, ({ rule, status }) => [(rule as { ref?: string }).ref, status]),
		traces: oneOfEach(await read("/v1/traces?limit=-1"), ({ trace_tag }) => [String(trace_tag).slice(0, 8)]),
		actions: ["aviary.parrot"],
		packs: ["aviary"],
		rules: ["aviary.heard", "aviary.flown", "aviary.guarded"],
		keys: Object.keys(canaryItems),
		workers: ["far", "near"],
	};
}

/** The ids of the newest of each kind: lists show the others. */
function oneOfEach(records: Records, toKind: (record: Records[number]) => readonly unknown[]): readonly string[] {
	return [...new Map(records.map((record) => [JSON.stringify(toKind(record)), String(record["id"])])).values()];
}

/** One of three ids of each kind, others for each caller: the administrator sees all, and the others see each of them once or twice. */
function sample(ids: Ids, index: number): Ids {
	const chosen = (all: readonly string[]) => all.filter((_, at) => all.length < 3 || at % 3 === index % 3);
	return Object.fromEntries(Object.entries(ids).map(([kind, all]) => [kind, chosen(all)]));
}

const attributes = ["result", "parameters", "trigger_instance", "status"];
const listQueries: Readonly<Record<string, readonly string[]>> = {
	"/executions": ["limit=100", "limit=100&include_attributes=result", "limit=100&include_attributes=parameters.item,context"],
	"/triggerinstances": ["limit=100"],
	"/ruleenforcements": ["limit=100"],
	"/ruleenforcements/views": ["limit=100"],
	"/keys": ["scope=all"],
};

/** Every route that reads, with every record there is. */
async function look(ask: Ask, name: string, ids: Ids, seen: Seen[], query = ""): Promise<void> {
	for (const { method, component, path, query: declared = {} } of routes) {
		if (method !== "GET" || path === "/stream") continue;
		// Only these may show secrets.
		if (query !== "" && !Object.hasOwn(declared, "show_secrets")) continue;
		const kind = path.split("/")[1] ?? "";
		const subjects = path.includes(":") ? (ids[kind] ?? ["aviary", "aviary.parrot"]) : [""];
		// What ends with the execution says the same to everybody who may see it.
		const asked = component === "stream" ? subjects.slice(0, 6) : subjects;
		for (const subject of asked) {
			const filled =
				path.includes(":name") && kind === "executions" ? attributes.map((attribute) => path.replace(":name", attribute)) : [path];
			for (const one of filled) {
				const place = one.replace(/\*\*:url|:\w+/, encodeURIComponent(subject)).replace("**:path", "actions/parrot.yaml");
				for (const given of listQueries[path] ?? [""]) {
					const words = [given, query].filter((word) => word !== "").join("&");
					const { text } = await ask("GET", `${prefixes[component]}${place}${words === "" ? "" : `?${words}`}`);
					seen.push({ label: `${name}: ${component} ${place}?${words}`, text });
				}
			}
		}
	}
}

/** Every event of the general stream, to the end. */
async function follow({ urls }: Aviary, name: string, headers: Readonly<Record<string, string>>): Promise<() => Promise<Seen>> {
	const controller = new AbortController();
	const response = await fetch(`${urls.stream}/v1/stream?events=*`, { headers, signal: controller.signal });
	let text = "";
	const reading = (async () => {
		for await (const bytes of response.body as ReadableStream<Uint8Array>) text += Buffer.from(bytes).toString("utf8");
	})().catch(() => undefined);
	return async () => {
		controller.abort();
		await reading;
		return { label: `${name}: stream`, text };
	};
}

async function askCommands({ urls }: Aviary, token: string, ids: Ids, seen: Seen[]): Promise<void> {
	const home = await mkdtemp(join(tmpdir(), "svc-aviary-home-"));
	const env = { HOME: home, SVC_API_URL: urls.api, SVC_AUTH_URL: urls.auth, SVC_STREAM_URL: urls.stream, SVC_AUTH_TOKEN: token };
	const [first = "", second = ""] = ids["executions"]?.toReversed() ?? [];
	const [instance = ""] = ids["triggerinstances"] ?? [];
	const [trace = ""] = ids["traces"] ?? [];
	for (const words of [
		["execution", "list", "-n", "50", "-l"],
		["execution", "get", first, second],
		["execution", "get", first, "-j"],
		["execution", "tail", first],
		["trigger-instance", "list"],
		["trigger-instance", "get", instance, "-y"],
		["trace", "get", trace],
		["rule-enforcement", "list", "-n", "50", "-j"],
		["action", "get", "aviary.parrot"],
		["config", "get", "aviary"],
		["pack", "list", "-j"],
		["pack", "get", "aviary", "-j"],
		["pack", "files", "aviary"],
		["key", "list", "-o", "wide"],
		["rule", "get", "aviary.heard"],
		["rule", "get", "aviary.guarded"],
	]) {
		const [stdout, stderr] = [new CapturedText(), new CapturedText()];
		const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => true });
		seen.push({ label: `svc ${words.join(" ")} -> ${exitCode}`, text: stdout.text + stderr.text });
	}
	await rm(home, { recursive: true, force: true });
}

async function expect(answer: ReturnType<Ask>, ...statuses: readonly number[]): Promise<void> {
	const { status, text } = await answer;
	assert.ok(statuses.includes(status), `${status} ${text}`);
}

async function list(ask: Ask, path: string): Promise<Records> {
	const { status, text } = await ask("GET", path);
	assert.equal(status, 200, text);
	return parse(text) as unknown as Records;
}

/** The body, behind the line of headers. */
function parse(text: string): Readonly<Record<string, unknown>> {
	return JSON.parse(text.slice(text.indexOf("\n") + 1)) as Readonly<Record<string, unknown>>;
}

function toSeen({ columns }: Remains, but: ReadonlySet<string>): readonly Seen[] {
	return [...columns].filter(([label]) => !but.has(label)).map(([label, text]) => ({ label, text }));
}

/** A secret without its first and its last character, in JSON once and twice, in addresses, within base64, and each of its lines. */
function toForms(secret: string): readonly string[] {
	const whole = secret.trim();
	const json = JSON.stringify(secret).slice(1, -1);
	const basic = Buffer.from(`user:${secret}`).toString("base64").slice(8, -4);
	const lines = secret.split("\n").filter((line) => line.length > 5);
	return [...new Set([whole.slice(1, -1), json, JSON.stringify(json).slice(1, -1), encodeURIComponent(secret), basic, ...lines])];
}

/** The forms of each secret by its name. */
function formsOf(secrets: Readonly<Record<string, string | number>> | readonly string[]): ReadonlyMap<string, readonly string[]> {
	return new Map(Object.entries(secrets).map(([name, secret]) => [name, toForms(String(secret))]));
}

test.run();

// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { routes } from "../../plugins/_shipped/routes.ts";
import type { OptionsInput } from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { assertAbsent } from "../testing/http/absent-texts.test-support.ts";
import { type WalkRequest, walkRoutes } from "../testing/http/route-walk.test-support.ts";
import { createParameters, createSecretPack, SecretValues } from "../testing/http/secret-pack.test-support.ts";
import type { ServiceUnderTest, WireRecord } from "../testing/http/service.test-support.ts";
import { create, withWholeService } from "../testing/http/whole-service.test-support.ts";
import type { Route } from "./route.ts";

/** Something the service gave away, and what it was the answer to. */
interface Seen {
	readonly label: string;
	readonly status: number;
	readonly text: string;
}

interface Walked {
	readonly secrets: SecretValues;
	readonly answers: readonly Seen[];
	readonly log: readonly string[];
	readonly token: string;
}

const prefixes = { auth: "/auth/v1", api: "/v1", stream: "/stream/v1" } as const;

test("no answer, stream, error or log line of any route holds the value of a secret", async () => {
	const { secrets, answers, log, token } = await walk({});
	assert.ok(answers.some(({ text }) => text.includes("********")));
	assert.match(answers.at(-1)?.text ?? "", /svc\.liveaction__create[^]*svc\.execution__update/);
	assert.ok(answers.some(({ label, status }) => label.includes("vault.script/clone") && status === 201));
	assert.ok(answers.some(({ label, status, text }) => /\/tasks/.test(label) && status === 200 && text.includes(`vault.${secretMask}`)));
	for (const { label, status } of answers) assert.ok(status < 500, `${status} for ${label}`);
	const lines = log.map((text) => ({ label: "log", status: 200, text }));
	assertAbsent(formsOf([...secrets.stored, ...secrets.refused]), [...answers, ...lines]);
	assertAbsent(formsOf([token, "a password"]), lines);
});

test("with masking switched off the same requests that read find every secret that is stored", async () => {
	const { secrets, answers } = await walk({ api: { mask_secrets: false } }, ({ method }) => method === "GET");
	const all = answers.map(({ text }) => text).join("\n");
	for (const secret of secrets.stored)
		assert.ok(
			toForms(secret).some((form) => all.includes(form)),
			secret,
		);
});

test("a route without requests of its own fails the walk", () => {
	assert.throws(() => walkRoutes([...routes, { ...(routes[0] as Route), path: "/new" }]), /no requests for api GET \/new/);
});

async function walk(options: OptionsInput, isWalked: (route: Route) => boolean = () => true): Promise<Walked> {
	const secrets = new SecretValues();
	const answers: Seen[] = [];
	let walked: Walked | undefined;
	await withWholeService(
		createSecretPack(secrets),
		async (service) => {
			const stream = await openStream(service);
			const { ended, open } = await runActions(service, secrets);
			const record = (await (await service.ask("/v1/actions/vault.command")).json()) as WireRecord;
			const subject = {
				executions: [...ended, ...open],
				ended,
				actions: ["vault.command", "vault.script", "vault.embedded", "vault.flow", "core.local"],
				runnerTypes: ["local-shell-cmd", "local-shell-script"],
				secrets,
				record,
			};
			for (const { route, requests } of walkRoutes(routes)) {
				if (isWalked(route)) for (const request of requests(subject)) answers.push(await send(service, route, request));
			}
			answers.push({ label: "stream", status: 200, text: await stream.stop() });
			walked = { secrets, answers, log: service.log, token: service.token };
		},
		options,
	);
	return walked as Walked;
}

/** Executions that succeed, fail, time out, are canceled, wait, run, or cannot even begin, with secrets in every place. */
async function runActions(service: ServiceUnderTest, secrets: SecretValues): Promise<{ ended: string[]; open: string[] }> {
	const start = (action: string, parameters: object = {}, delay = 0) =>
		create(service, { action, parameters: { ...createParameters(secrets), ...parameters }, delay });
	const [canceledPin, completedPin] = [secrets.store(), secrets.store()];
	const canceled = await create(service, { action: "vault.command", parameters: { pin: canceledPin, seconds: 60 } });
	const completed = await create(service, { action: "vault.command", parameters: { pin: completedPin }, delay: 3_600_000 });
	const ended = [
		canceled,
		completed,
		await start("vault.command"),
		await start("vault.command", { code: 3 }),
		await start("vault.command", { seconds: 60, timeout: 1 }),
		await start("vault.command", { cwd: "/nothing/here" }),
		await start("vault.script"),
		await start("vault.script", { code: 4 }),
		await create(service, { action: "vault.script", parameters: { keys: [secrets.store()], pin: "{{ keys[0] }} rendered" } }),
		await create(service, { action: "vault.command" }),
		await create(service, { action: "vault.embedded" }),
		await create(service, { action: "vault.embedded", parameters: { pin: secrets.storePlain() } }),
		await create(service, { action: "vault.flow", parameters: { pin: secrets.storePlain() } }),
		await create(service, { action: "vault.flow", parameters: { pin: secrets.store() } }),
	];
	const open = [await start("vault.command", { seconds: 60 }), await start("vault.command", {}, 3_600_000)];
	// People copy secrets into reasons, too.
	await service.ask(`/v1/executions/${canceled}?reason=${encodeURIComponent(`${canceledPin} is wrong`)}`, { method: "DELETE" });
	const body = JSON.stringify({ status: "failed", reason: `not with ${completedPin}` });
	await service.ask(`/v1/executions/${completed}`, { method: "PUT", body });
	for (const id of ended) await service.ended(id);
	return { ended, open };
}

async function send({ ask, urls }: ServiceUnderTest, route: Route, { path, body, headers = {} }: WalkRequest): Promise<Seen> {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	const response = await ask(prefixes[route.component] + path, {
		method: route.method,
		headers,
		...(text !== undefined && { body: text }),
	});
	const label = `${route.method} ${urls.api}${path} ${text}`;
	return { label, status: response.status, text: `${JSON.stringify([...response.headers])}\n${await response.text()}` };
}

/** Every event of the general stream; the address of the request holds the token, as browsers send it. */
async function openStream({ urls, token }: ServiceUnderTest): Promise<{ stop(): Promise<string> }> {
	const controller = new AbortController();
	const response = await fetch(`${urls.stream}/v1/stream?events=*&x-auth-token=${token}`, { signal: controller.signal });
	let text = "";
	const reading = (async () => {
		for await (const bytes of response.body as ReadableStream<Uint8Array>) text += Buffer.from(bytes).toString("utf8");
	})().catch(() => undefined);
	return {
		async stop() {
			controller.abort();
			await reading;
			return text;
		},
	};
}

/** A secret as it is, as it looks inside JSON once and twice, with everything but ASCII escaped, in addresses; and each of its lines. */
function toForms(secret: string): string[] {
	const json = JSON.stringify(secret).slice(1, -1);
	const ascii = json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
	const twice = JSON.stringify(json).slice(1, -1);
	const query = new URLSearchParams([["", secret]]).toString().slice(1);
	return [...new Set([secret, json, ascii, twice, encodeURIComponent(secret), query, ...secret.split("\n"), secret.replace(/\W+/g, "_")])];
}

/** The forms of each secret, by itself. */
function formsOf(secrets: readonly string[]): ReadonlyMap<string, readonly string[]> {
	return new Map(secrets.map((secret) => [secret, toForms(secret)]));
}

test.run();

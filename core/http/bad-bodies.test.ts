// test-timeout: 300
import { test } from "uvu";
import { routes } from "../../plugins/_shipped/routes.ts";
import { sample } from "../testing/extent.test-support.ts";
import { brokenBodies, otherTypes, prototypeBodies, wrongContents } from "../testing/http/hostile-values.test-support.ts";
import { basic, createProbeTest, nameOf, valuesForRoute } from "../testing/http/probe.test-support.ts";
import type { Route } from "./route.ts";

const kibibyte = 1024;
const limit = 256 * kibibyte;
const probeTest = createProbeTest({ api: { max_body_size: limit } });
const withBody = sample(
	routes.filter(({ body }) => body !== undefined),
	6,
);

const schemaOf = ({ body }: Route) => (body === undefined || typeof body === "string" ? {} : body.schema);

probeTest(
	"bodies that are no JSON object, of another type or in another format are refused by every route that reads one",
	async ({ ask, check, url }) => {
		for (const [turn, route] of withBody.entries()) {
			const send = (body: Uint8Array | string, type = "application/json") =>
				ask(url(route), { method: route.method, body, headers: { ...basic, "content-type": type } });
			// Any JSON may be posted to a webhook, of which there is none here.
			const names = route.body === "raw" ? /body|not registered/ : /body/;
			// What is no JSON may still be a text.
			const asText = (label: string) =>
				route.body === "text" ? { label: `${nameOf(route)} ${label}` } : { label: `${nameOf(route)} ${label}`, names };
			for (const [label, bytes] of valuesForRoute(brokenBodies, turn, 3)) await check(send(bytes), asText(label));
			for (const [type, body] of valuesForRoute(wrongContents, turn, 2)) {
				const isJson = type.startsWith("application/json");
				await check(send(body, type), isJson ? asText(type) : { label: `${nameOf(route)} ${type}`, names: /body/ });
			}
			await check(send(Buffer.from([0x7b, 0x22, 0xff, 0xc0, 0x22, 0x3a, 0x31, 0x7d])), { label: `${nameOf(route)} invalid UTF-8` });
			await check(send("a=%zz&=&&__proto__=1&constructor=2", "application/x-www-form-urlencoded"), { label: `${nameOf(route)} a form` });
			for (const text of prototypeBodies(Object.keys(schemaOf(route)["properties"] ?? {})[0] ?? "a")) {
				await check(send(text), { label: `${nameOf(route)} ${text}` });
			}
		}
	},
);

probeTest("members of a wrong type are refused and named by every route", async ({ ask, check, url }) => {
	for (const route of withBody) {
		for (const { body, path } of wrongMembers(schemaOf(route))) {
			const text = JSON.stringify(body);
			const last = path.split(".").at(-1) ?? "";
			const sent = ask(url(route), { method: route.method, body: text, headers: basic });
			await check(sent, { label: `${nameOf(route)} ${text}`, names: new RegExp(last) });
		}
	}
});

probeTest("bodies beyond the limit are refused, whether their length is announced or not", async ({ ask, check, url }) => {
	for (const [turn, route] of withBody.entries()) {
		const whole = JSON.stringify({ a: "x".repeat(limit) });
		const pieces = () =>
			ReadableStream.from(Array.from({ length: 8 }, () => Buffer.alloc(64 * kibibyte, 0x20))) as unknown as ReadableStream<Uint8Array>;
		for (const body of valuesForRoute([whole, pieces()], turn, 2)) {
			const init = { method: route.method, body, headers: basic, duplex: "half" } as RequestInit;
			await check(ask(url(route), init), { label: `${nameOf(route)} large`, names: /^body: must be at most \d+ bytes/ });
		}
	}
});

let chosen = 0;
/** A value of a wrong type, another type from member to member. None where every type fits. */
function oneWrongValue({ type }: Readonly<Record<string, unknown>>): readonly unknown[] {
	const values = otherTypes([type ?? []].flat() as string[]);
	chosen += 1;
	return values.slice(chosen % Math.max(1, values.length)).slice(0, 1);
}

/** For every member of a body, nested ones too, an object in which it alone has a value of a wrong type. */
function wrongMembers(schema: Readonly<Record<string, unknown>>): readonly { readonly body: unknown; readonly path: string }[] {
	const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	const required = (schema["required"] ?? []) as readonly string[];
	const filled = toFilled(schema);
	const wrong = required.map((member) => ({
		body: Object.fromEntries(Object.entries(filled).filter(([key]) => key !== member)),
		path: member,
	}));
	for (const [member, definition] of Object.entries(properties)) {
		for (const value of takesAny(definition) ? [] : oneWrongValue(definition))
			wrong.push({ body: { ...filled, [member]: value }, path: member });
		const items = definition["items"] as Readonly<Record<string, unknown>> | undefined;
		const inner = items === undefined ? wrongMembers(definition) : wrongItems(items);
		for (const { body, path } of inner)
			wrong.push({ body: { ...filled, [member]: items === undefined ? body : [body] }, path: `${member}.${path}` });
	}
	return wrong;
}

function wrongItems(items: Readonly<Record<string, unknown>>): readonly { readonly body: unknown; readonly path: string }[] {
	const values = oneWrongValue(items).map((body) => ({ body, path: "0" }));
	return [...values, ...wrongMembers(items)];
}

/** An object with the members it must have. */
function toFilled({ properties = {}, required = [] }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	const definitions = properties as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	return Object.fromEntries((required as readonly string[]).map((member) => [member, toSample(definitions[member] ?? {})]));
}

function toSample(definition: Readonly<Record<string, unknown>>): unknown {
	const { type, enum: allowed, items, minItems = 0, pattern } = definition;
	const samples: Readonly<Record<string, unknown>> = {
		string: toText(pattern),
		boolean: true,
		object: toFilled(definition),
		array: Number(minItems) > 0 ? [toSample(items as Readonly<Record<string, unknown>>)] : [],
		integer: 1,
		number: 1,
	};
	if (takesAny(definition)) return "x";
	return Array.isArray(allowed) ? allowed[0] : samples[String([type].flat()[0])];
}

function takesAny(definition: Readonly<Record<string, unknown>>): boolean {
	return Object.keys(definition).every((keyword) => keyword === "description");
}

/** A name or, where only that will do, an id. */
function toText(pattern: unknown): string | undefined {
	const fits = typeof pattern === "string" ? new RegExp(pattern) : /^/;
	return ["x", "0".repeat(24), "0".repeat(32)].find((text) => fits.test(text));
}

test.run();

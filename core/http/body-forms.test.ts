import * as assert from "node:assert/strict";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { test } from "uvu";
import { type ServiceUnderTest, type WireRecord, withService } from "../testing/http/service.test-support.ts";

const limit = 64 * 1024;
const json = "application/json";

interface Sent {
	readonly status: number;
	readonly fault: string;
	readonly answer: WireRecord;
}

/** Sends a body with no other headers than these. */
async function send({ urls, token }: ServiceUnderTest, path: string, body: string | Uint8Array, headers: object): Promise<Sent> {
	const response = await fetch(urls.api + path, { method: "POST", body, headers: { "x-auth-token": token, ...headers } });
	const answer = (await response.json()) as WireRecord;
	return { status: response.status, answer, fault: String(answer["faultstring"]) };
}

/** Calls with a function that sends a text to each kind of route that reads a body; the text comes back as the route has read it. */
function withDoors(run: (doors: readonly ((encode: (text: string) => Uint8Array, headers: object) => Promise<Sent>)[]) => Promise<void>) {
	return withService(
		async (service) => {
			const rule = { name: "hooked", trigger: { type: "core.svc.webhook", parameters: { url: "a" } }, action: { ref: "default.speak" } };
			await service.ask("/v1/rules", { method: "POST", body: JSON.stringify({ ...rule, enabled: true }) });
			const webhook = async (encode: (text: string) => Uint8Array, headers: object) => {
				const sent = await send(service, "/v1/webhooks/a", encode('{"text":"é7"}'), headers);
				if (sent.status < 400) assert.deepEqual([sent.status, sent.answer], [202, { text: "é7" }]);
				return sent;
			};
			const execution = async (encode: (text: string) => Uint8Array, headers: object) => {
				const body = '{"action":"default.speak","parameters":{"options":{"text":"é7"}}}';
				const sent = await send(service, "/v1/executions", encode(body), headers);
				if (sent.status < 400) assert.deepEqual((sent.answer["parameters"] as WireRecord)["options"], { text: "é7" });
				return sent;
			};
			await run([webhook, execution]);
		},
		{ api: { max_body_size: limit } },
	);
}

const utf8 = (text: string) => Buffer.from(text);
const bigEndian = (text: string) => Buffer.from(text, "utf16le").swap16();

test("every media type of JSON is read as JSON", () =>
	withDoors(async (doors) => {
		const types = [
			"application/hal+json",
			"application/cloudevents+json; charset=UTF-8",
			"text/json",
			"Application/JSON",
			"application/vnd.a.b+json",
		];
		for (const door of doors) {
			for (const type of types) assert.ok((await door(utf8, { "content-type": type })).status < 300, type);
			assert.ok((await door(utf8, {})).status < 300, "no type");
			for (const type of ["application/xml", "application/jsonish", "image/json"]) {
				const { status, fault } = await door(utf8, { "content-type": type });
				assert.equal(status, 400, type);
				assert.match(fault, /content type is not supported, send the header "Content-Type: application\/json"/);
			}
		}
	}));

test("the byte order mark, then the declared charset, decide how a body is decoded", () =>
	withDoors(async (doors) => {
		const mark = (bytes: number[], encode: (text: string) => Uint8Array) => (text: string) =>
			Buffer.concat([Buffer.from(bytes), encode(text)]);
		const littleEndian = (text: string) => Buffer.from(text, "utf16le");
		for (const door of doors) {
			for (const [label, encode, type] of [
				["UTF-8 with a mark", mark([0xef, 0xbb, 0xbf], utf8), `${json}; charset=utf-8`],
				["a mark against the charset", mark([0xef, 0xbb, 0xbf], utf8), `${json}; charset=iso-8859-1`],
				["UTF-16 with a mark", mark([0xff, 0xfe], littleEndian), json],
				["big-endian UTF-16 with a mark", mark([0xfe, 0xff], bigEndian), json],
				["declared UTF-16", littleEndian, `${json}; charset=utf-16`],
				["declared latin-1", (text: string) => Buffer.from(text, "latin1"), `${json}; Charset="ISO-8859-1"`],
			] as const) {
				const { status, fault } = await door(encode, { "content-type": type });
				assert.ok(status < 300, `${label}: ${fault}`);
			}
		}
	}));

test("bytes that are not text in their charset are refused, and so are unknown charsets", () =>
	withDoors(async (doors) => {
		const latin1 = (text: string) => Buffer.from(text, "latin1");
		for (const door of doors) {
			const broken = await door(latin1, { "content-type": json });
			assert.equal(broken.status, 400);
			assert.match(broken.fault, /not valid UTF-8; the header Content-Type may declare another charset/);
			const odd = await door((text) => Buffer.concat([Buffer.from(text, "utf16le"), Buffer.from([0])]), {
				"content-type": `${json};charset=utf-16le`,
			});
			assert.equal(odd.status, 400);
			const unknown = await door(utf8, { "content-type": `${json}; charset=klingon` });
			assert.equal(unknown.status, 415);
			assert.match(unknown.fault, /Content-Type: the charset "klingon" is not supported/);
		}
	}));

test("a content coding is decoded within the limit, or refused by name", () =>
	withDoors(async (doors) => {
		const codings = { gzip: gzipSync, "x-gzip": gzipSync, deflate: deflateSync, br: brotliCompressSync, identity: Buffer.from } as const;
		for (const door of doors) {
			for (const [coding, encode] of Object.entries(codings)) {
				const { status, fault } = await door((text) => encode(text), { "content-type": json, "content-encoding": coding });
				assert.ok(status < 300, `${coding}: ${fault}`);
			}
			const zeros = await door(() => gzipSync(Buffer.alloc(limit + 1, 0x20)), { "content-type": json, "content-encoding": "gzip" });
			assert.equal(zeros.status, 413);
			assert.match(zeros.fault, /^body: must be at most 65536 bytes/);
			const broken = await door(utf8, { "content-type": json, "content-encoding": "gzip" });
			assert.equal(broken.status, 400);
			assert.match(broken.fault, /not valid gzip, which the header Content-Encoding names/);
			const unknown = await door(utf8, { "content-type": json, "content-encoding": "gzip, zstd" });
			assert.equal(unknown.status, 415);
			assert.match(unknown.fault, /header Content-Encoding: "gzip, zstd" is not supported/);
		}
	}));

test("JSON that is declared as a form, or as nothing, is told which header it needs", () =>
	withDoors(async (doors) => {
		for (const door of doors) {
			const form = await door(utf8, { "content-type": "application/x-www-form-urlencoded" });
			assert.equal(form.status, 400);
			assert.match(form.fault, /it is JSON, but the header Content-Type declares a form .* send "Content-Type: application\/json"/);
			const nothing = await door(() => utf8("a=1"), {});
			assert.equal(nothing.status, 400);
			assert.match(nothing.fault, /not valid JSON, which is assumed without the header Content-Type/);
		}
		const braces = await doors[1]?.(() => utf8("{a=1"), { "content-type": "application/x-www-form-urlencoded" });
		assert.match(braces?.fault ?? "", /^action: is a required property/);
	}));

test.run();

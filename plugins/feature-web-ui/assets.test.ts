import * as assert from "node:assert/strict";
import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { test } from "uvu";
import { withGuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { withService } from "../../core/testing/http/service.test-support.ts";

const browser = { accept: "text/html,application/xhtml+xml" };

/** An answer with its bytes as they were sent: `fetch` would unpack them. */
function get(url: string, encoding: string): Promise<{ readonly status: number; readonly encoding: string; readonly bytes: Buffer }> {
	return new Promise((resolve, reject) => {
		request(url, { headers: encoding === "" ? {} : { "accept-encoding": encoding } }, (response) => {
			const pieces: Buffer[] = [];
			response.on("data", (piece: Buffer) => pieces.push(piece));
			response.on("end", () => {
				const sent = response.headers["content-encoding"] ?? "";
				resolve({ status: response.statusCode ?? 0, encoding: sent, bytes: Buffer.concat(pieces) });
			});
		})
			.on("error", reject)
			.end();
	});
}

test("the page is at the root for browsers, may load and ask nothing from elsewhere, and is asked for each time", () =>
	withGuardedService(async ({ urls }) => {
		const page = await fetch(`${urls.api}/`, { headers: browser });
		assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=UTF-8"]);
		const policy = page.headers.get("content-security-policy") ?? "";
		for (const directive of [
			...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:"],
			...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
		]) {
			assert.ok(policy.split("; ").includes(directive), directive);
		}
		assert.equal(page.headers.get("x-content-type-options"), "nosniff");
		assert.equal(page.headers.get("cache-control"), "no-cache");
		const html = await page.text();
		assert.match(html, /data-sign-in="password"/);
		assert.doesNotMatch(html, /%|<style|style=|<script(?! type="module" src="web\/)/);
		for (const [, name] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
			assert.match(name ?? "", /^web\/[\w-]+\.(js|css|svg)$/);
			const file = await fetch(`${urls.api}/${name}`);
			assert.deepEqual([file.status, file.headers.get("cache-control")], [200, "public, max-age=31536000, immutable"], name);
			assert.equal(file.headers.get("x-content-type-options"), "nosniff");
		}
	}));

test("files come as small as whoever asks takes them", () =>
	withGuardedService(async ({ urls }) => {
		const html = await (await fetch(`${urls.api}/`, { headers: browser })).text();
		const url = `${urls.api}/${/src="([^"]+)"/.exec(html)?.[1]}`;
		const plain = await get(url, "");
		assert.equal(plain.encoding, "");
		for (const [accepted, encoding, unpack] of [
			["gzip, deflate, br", "br", brotliDecompressSync],
			["gzip, deflate", "gzip", gunzipSync],
			["br;q=0, gzip", "gzip", gunzipSync],
			["br; q=0.5", "br", brotliDecompressSync],
		] as const) {
			const answer = await get(url, accepted);
			assert.equal(answer.encoding, encoding, accepted);
			assert.ok(answer.bytes.length < plain.bytes.length / 2);
			assert.deepEqual(unpack(answer.bytes), plain.bytes);
		}
	}));

test("no name of a file leads out of the folder of the page", () =>
	withGuardedService(async ({ urls }) => {
		for (const name of ["index.html", "main.js", "..%2f..%2fpackage.json", "%2e%2e%2f%2e%2e%2fpackage.json", "%00", "main.js.br"]) {
			const { status, bytes } = await get(`${urls.api}/web/${name}`, "br");
			assert.ok(status === 404 || status === 400, `${name}: ${status} ${bytes.toString().slice(0, 200)}`);
		}
	}));

test("switched off, neither the page nor its files are there", () =>
	withService(
		async ({ urls }) => {
			const page = await fetch(`${urls.api}/`, { headers: browser });
			assert.match(await page.text(), /web interface is disabled/);
			const { assets } = await import("./routes.ts");
			for (const name of assets.names) assert.equal((await fetch(`${urls.api}/web/${name}`)).status, 404);
			assert.ok(assets.names.length > 2);
		},
		{ webui: { enable: false } },
	));

test.run();

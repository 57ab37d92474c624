import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "uvu";
import { type GuardedService, withGuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { assertClean, assertFitsPhone, closeBrowser, webTest, withWeb } from "../../core/testing/web/web.test-support.ts";
import { SiteFiles } from "./docs-site.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-docs-site-"));
const site = join(directory, "site");
const files: Readonly<Record<string, string>> = {
	"secret.txt": "outside of the site",
	"secrets/index.html": "outside of the site",
	"site/index.html": "<h1>Home</h1>",
	"site/404.html": "<h1>No such page</h1>",
	"site/guides/tls.html": "<h1>TLS</h1>",
	"site/examples/cluster/index.html": "<h1>cluster</h1>",
	"site/assets/app.DWMmzVLo.js": "export {};",
	"site/assets/chunks/@index.ICt_tFol.js": "export {};",
	"site/picture.png": "picture",
	"site/notes.unknown": "notes",
	"site/PHOTO.PNG": "photo",
	"site/.hidden": "hidden",
	"site/.git/config": "hidden",
};
for (const [path, text] of Object.entries(files)) {
	mkdirSync(join(directory, dirname(path)), { recursive: true });
	writeFileSync(join(directory, path), text);
}
symlinkSync(join(directory, "secret.txt"), join(site, "linked.txt"));
symlinkSync(join(directory, "secrets"), join(site, "linked"));
symlinkSync(join(site, "guides"), join(site, "inner"));
symlinkSync(site, join(directory, "current"));

test.after(() => rmSync(directory, { recursive: true }));
test.after(closeBrowser);

interface RawResponse {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly text: string;
}

/** Sends a request whose path is not normalized, as `fetch` would do. */
function send(
	{ urls }: GuardedService,
	path: string,
	method = "GET",
	headers: Readonly<Record<string, string>> = {},
): Promise<RawResponse> {
	const { hostname: host, port } = new URL(urls.api);
	return new Promise((resolve, reject) => {
		const sent = request({ host, port, path, method, headers }, (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("end", () =>
				resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() }),
			);
		});
		sent.on("error", reject).end();
	});
}

test("the site is served with media types, a policy of its own and cache headers", () =>
	withGuardedService(
		async (service) => {
			for (const [path, text, type, cache] of [
				["", "<h1>Home</h1>", "text/html; charset=UTF-8", "no-cache"],
				["index.html", "<h1>Home</h1>", "text/html; charset=UTF-8", "no-cache"],
				["guides/tls.html?from=search", "<h1>TLS</h1>", "text/html; charset=UTF-8", "no-cache"],
				["examples/cluster/", "<h1>cluster</h1>", "text/html; charset=UTF-8", "no-cache"],
				["assets/app.DWMmzVLo.js", "export {};", "text/javascript; charset=UTF-8", "public, max-age=31536000, immutable"],
				["assets/chunks/@index.ICt_tFol.js", "export {};", "text/javascript; charset=UTF-8", "public, max-age=31536000, immutable"],
				["picture.png", "picture", "image/png", "no-cache"],
				["notes.unknown", "notes", "application/octet-stream", "no-cache"],
			] as const) {
				const answer = await send(service, `/docs/${path}`);
				const { "content-type": contentType, "cache-control": cacheControl } = answer.headers;
				assert.deepEqual([answer.status, answer.text, contentType, cacheControl], [200, text, type, cache], path);
				assert.equal(answer.headers["x-content-type-options"], "nosniff");
				const policy = String(answer.headers["content-security-policy"]).split("; ");
				for (const directive of ["default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"]) {
					assert.ok(policy.includes(directive), directive);
				}
			}
		},
		{ webui: { docs_dir: site } },
	));

test("a file that the client has is not sent again", () =>
	withGuardedService(
		async (service) => {
			for (const path of ["/docs/", "/docs/guides/tls.html"]) {
				const { headers } = await send(service, path);
				const etag = String(headers["etag"]);
				for (const given of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
					const repeated = await send(service, path, "GET", { "if-none-match": given });
					assert.deepEqual([repeated.status, repeated.text, repeated.headers["etag"]], [304, "", etag]);
				}
				assert.equal((await send(service, path, "GET", { "if-none-match": '"other"' })).status, 200);
			}
		},
		{ webui: { docs_dir: site } },
	));

test("only GET and HEAD are answered", () =>
	withGuardedService(
		async (service) => {
			for (const path of ["/docs/", "/docs/guides/tls.html"]) {
				const [get, head] = [await send(service, path), await send(service, path, "HEAD")];
				assert.deepEqual([head.status, head.text], [200, ""]);
				for (const name of ["content-type", "content-length", "etag"]) assert.equal(head.headers[name], get.headers[name], name);
				for (const method of ["POST", "PUT", "DELETE"]) {
					const { status } = await send(service, path, method, { "content-type": "application/json" });
					assert.equal(status, 405, `${method} ${path}`);
				}
			}
		},
		{ webui: { docs_dir: site } },
	));

test("a path that names no file of the site gets the 404 page of the site", () =>
	withGuardedService(
		async (service) => {
			for (const path of ["absent.html", "guides", "guides/", "guides/tls.html/", "assets/app.DWMmzVLo.js/x", "x".repeat(300)]) {
				const answer = await send(service, `/docs/${path}`);
				const { "content-type": type, "cache-control": cache, etag } = answer.headers;
				assert.deepEqual(
					[answer.status, answer.text, type, cache, etag],
					[404, "<h1>No such page</h1>", "text/html; charset=UTF-8", "no-cache", undefined],
					path,
				);
				assert.match(String(answer.headers["content-security-policy"]), /default-src 'none'/);
			}
		},
		{ webui: { docs_dir: site } },
	));

test("no path leads out of the directory, to a hidden file or through a link", () =>
	withGuardedService(
		async (service) => {
			for (const path of [
				...["../secret.txt", "guides/../../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "%2e%2e%2fsecret.txt", "..%5csecret.txt"],
				...["..\\secret.txt", "guides%2ftls.html", "guides%5ctls.html", "/secret.txt", `/${directory}/secret.txt`, "guides//tls.html"],
				...["%252e%252e%252fsecret.txt", "index.html%00.png", "%00", "guides/./tls.html%20", "%ff"],
				...[".hidden", "%2ehidden", ".git/config", "guides/../.hidden"],
				...["linked.txt", "linked/", "linked/index.html", "inner/tls.html"],
			]) {
				const { status, text } = await send(service, `/docs/${path}`);
				assert.ok([400, 404, 405].includes(status), `${path}: ${status}`);
				assert.doesNotMatch(text, /outside|hidden|TLS/, path);
			}
		},
		{ webui: { docs_dir: site } },
	));

test("requests for a file share one copy of it, which is replaced when the file changes", async () => {
	const file = join(site, "large.txt");
	writeFileSync(file, "first");
	const siteFiles = new SiteFiles();
	const [one, two] = await Promise.all([siteFiles.read(site, "large.txt"), siteFiles.read(site, "large.txt")]);
	assert.equal(one?.body, two?.body);
	assert.equal((await siteFiles.read(site, "large.txt"))?.body, one?.body);
	writeFileSync(file, "the second content");
	const changed = await siteFiles.read(site, "large.txt");
	assert.equal(Buffer.from(changed?.body ?? []).toString(), "the second content");
	assert.notEqual(changed?.etag, one?.etag);
	rmSync(file);
	assert.equal(await siteFiles.read(site, "large.txt"), undefined);
});

test("the copies of files stay within their limit, and a file beyond the limit is absent", async () => {
	const siteFiles = new SiteFiles({ maxFileBytes: 10, maxTotalBytes: 15 });
	for (const [name, text] of [
		["ten-a.txt", "a".repeat(10)],
		["ten-b.txt", "b".repeat(10)],
		["eleven.txt", "c".repeat(11)],
	] as const)
		writeFileSync(join(site, name), text);
	const first = await siteFiles.read(site, "ten-a.txt");
	assert.equal((await siteFiles.read(site, "ten-b.txt"))?.body.length, 10);
	assert.equal(await siteFiles.read(site, "eleven.txt"), undefined);
	const again = await siteFiles.read(site, "ten-a.txt");
	assert.notEqual(again?.body, first?.body);
	assert.deepEqual(again?.body, first?.body);
});

test("a socket in the directory is absent", async () => {
	const path = join(site, "socket.txt");
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(path, resolve));
	try {
		assert.equal(await new SiteFiles().read(site, "socket.txt"), undefined);
	} finally {
		server.close();
	}
});

test("an escape that stands for an ordinary character names the same file, and types ignore the case of the name", () =>
	withGuardedService(
		async (service) => {
			assert.equal((await send(service, "/docs/%69ndex.html")).text, "<h1>Home</h1>");
			assert.equal((await send(service, "/docs/assets/chunks/%40index.ICt_tFol.js")).text, "export {};");
			assert.equal((await send(service, "/docs/PHOTO.PNG")).headers["content-type"], "image/png");
		},
		{ webui: { docs_dir: site } },
	));

test("the directory itself may be a link", () =>
	withGuardedService(async (service) => assert.equal((await send(service, "/docs/guides/tls.html")).text, "<h1>TLS</h1>"), {
		webui: { docs_dir: join(directory, "current") },
	}));

test("the API description keeps its address, and /docs leads to the site", () =>
	withGuardedService(
		async (service) => {
			assert.match((await send(service, "/v1/docs")).text, /HTTP API/);
			const { status, headers } = await send(service, "/docs");
			assert.deepEqual([status, headers["location"]], [307, "docs/"]);
		},
		{ webui: { docs_dir: site } },
	));

test("without the option, and without the web page, there is no site", async () => {
	for (const webui of [{}, { enable: false, docs_dir: site }]) {
		await withGuardedService(
			async (service) => {
				for (const path of ["/docs", "/docs/"]) assert.match((await send(service, path)).text, /HTTP API/);
				const { status, text } = await send(service, "/docs/guides/tls.html");
				assert.deepEqual([status, JSON.parse(text)], [404, { faultstring: "the service has no documentation; see webui.docs_dir" }]);
			},
			{ webui },
		);
	}
});

test("a directory that contains no site stops the start, and the problem names the option", async () => {
	for (const [docs_dir, problem] of [
		["site", /^webui\.docs_dir: "site" is not an absolute path$/],
		[join(directory, "absent"), /^webui\.docs_dir: the directory ".*absent" does not exist; build one with npm run docs -- --build$/],
		[join(site, "guides"), /^webui\.docs_dir: ".*guides" contains no index\.html; build one/],
	] as const) {
		await assert.rejects(
			withGuardedService(async () => {}, { webui: { docs_dir } }),
			({ code, message }: Error & { code: string }) => code === "SVC_CONFIG" && problem.test(message),
		);
	}
});

webTest("Help of the web page opens the site", () =>
	withWeb(
		async (web) => {
			const page = await web.open("root", "/");
			await assertClean(page);
			await assertFitsPhone(page);
			await page.getByRole("link", { name: "Help" }).click();
			await page.getByRole("heading", { name: "Home" }).waitFor();
			assert.equal(page.url(), `${web.urls.api}/docs/`);
		},
		{ webui: { docs_dir: site } },
	),
);

webTest("without a site, the web page offers no Help", () =>
	withWeb(async (web) => {
		const page = await web.open("root", "/");
		assert.equal(await page.getByRole("link", { name: "Help" }).count(), 0);
	}),
);

test.run();

import * as assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { JsonObject } from "../../core/contract/index.ts";
import { createRunContext } from "../../core/testing/run-context.ts";
import { type HttpRequestOptions, httpRequest } from "./index.ts";
import { isPrivateAddress } from "./private-addresses.ts";
import { answerJson, createSelfSigned, readAll, startProxy, startServer, startTlsServer } from "./servers.test-support.ts";

const other = await startServer(async (request, answer) =>
	answerJson(answer, { host: "other", method: request.method, headers: request.headers, body: (await readAll(request)).toString() }),
);
const server = await startServer(async (request, answer) => {
	const url = new URL(request.url ?? "/", "http://server");
	const body = (await readAll(request)).toString("utf8");
	if (url.pathname === "/hal") return answer.writeHead(200, { "content-type": url.searchParams.get("type") ?? "" }).end('{"a":1}');
	const cookies = url.searchParams.getAll("cookie");
	if (cookies.length > 0) answer.setHeader("set-cookie", cookies);
	if (url.pathname === "/to")
		return answer.writeHead(Number(url.searchParams.get("code") ?? 302), { location: url.searchParams.get("url") ?? "/loop" }).end("moved");
	if (url.pathname === "/loop") return answer.writeHead(302, { location: "/loop" }).end();
	return answerJson(answer, { host: "server", method: request.method, headers: request.headers, body });
});

interface Answered {
	readonly host: string;
	readonly method: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

async function run(
	runnerParameters: JsonObject,
	actionParameters: JsonObject = {},
	options: HttpRequestOptions = {},
	packDirectory?: string,
) {
	const runner = httpRequest(options).create();
	await runner.start?.({} as never);
	try {
		const given = { runnerParameters: { url: server.url, ...runnerParameters }, actionParameters };
		return await runner.run(createRunContext(runner, packDirectory === undefined ? given : { ...given, packDirectory }));
	} finally {
		await runner.stop?.();
	}
}

const answered = async (...input: Parameters<typeof run>) => (await run(...input)).result["body"] as unknown as Answered;
const redirect = (url: string, code = 302) => ({
	url: `${server.url}/to?code=${code}&url=${encodeURIComponent(url)}`,
	allow_redirects: true,
});

test("a redirect is the answer unless it is to be followed", async () => {
	const { succeeded, result } = await run({ url: `${server.url}/to?url=/x` });
	assert.deepEqual([succeeded, result["status_code"], result["body"]], [false, 302, "moved"]);
	assert.equal((await run(redirect("/x"))).succeeded, true);
	await assert.rejects(run({ url: `${server.url}/loop`, allow_redirects: true }), /more than 20 redirects/);
	await assert.rejects(run(redirect("file:///etc/passwd")), /neither http nor https/);
});

test("303, and 301 and 302 after POST, become a GET without the body; 307 and 308 repeat it", async () => {
	for (const code of [301, 302, 303]) {
		const { method, body, headers } = await answered(redirect("/x", code), { method: "POST", body: "text" });
		assert.deepEqual([method, body, headers["content-length"]], ["GET", "", undefined], String(code));
	}
	for (const code of [307, 308]) {
		const { method, body } = await answered(redirect("/x", code), { method: "POST", body: "text" });
		assert.deepEqual([method, body], ["POST", "text"], String(code));
	}
	assert.equal((await answered(redirect("/x", 302), { method: "PUT", body: "text" })).method, "PUT");
});

test("credentials stay with the host they were given for", async () => {
	const secrets = { username: "ann", password: "pw", cookies: { session: "s" }, headers: { "X-Auth-Token": "t", "X-Plain": "p" } };
	const same = await answered({ ...redirect("/x"), ...secrets });
	assert.deepEqual(
		[same.headers["authorization"], same.headers["cookie"], same.headers["x-auth-token"]],
		[`Basic ${btoa("ann:pw")}`, "session=s", "t"],
	);
	const { host, headers } = await answered({ ...redirect(`${other.url}/x`), ...secrets });
	assert.equal(host, "other");
	assert.deepEqual(
		[headers["authorization"], headers["cookie"], headers["x-auth-token"], headers["x-plain"]],
		[undefined, undefined, undefined, "p"],
	);
});

test("cookies that a redirect sets go with the next requests to the same host", async () => {
	const set = (target: string, ...cookies: readonly string[]) =>
		`${server.url}/to?url=${encodeURIComponent(target)}${cookies.map((cookie) => `&cookie=${encodeURIComponent(cookie)}`).join("")}`;
	const sent = async (url: string, cookies: JsonObject = {}) => (await answered({ url, allow_redirects: true, cookies })).headers["cookie"];
	assert.equal(await sent(set("/end", "sid=abc; Path=/", "b=2; HttpOnly")), "sid=abc; b=2");
	assert.equal(await sent(set("/end", "sid=new; Path=/"), { sid: "old", own: "1" }), "own=1; sid=new");
	assert.equal(await sent(set(set("/end", "a=; Max-Age=0"), "a=1", "b=2")), "b=2");
	assert.equal(await sent(set("/end", "a=1; Path=/elsewhere", "b=2; Path=/en", "c=3; Secure", "d=4; Path=/end")), "d=4");
	assert.equal(await sent(set("/end", "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=2; Expires=Thu, 01 Jan 2099 00:00:00 GMT")), "b=2");
	assert.equal(await sent(set(`http://localhost:${other.port}/end`, "sid=abc; Path=/; Domain=localhost")), undefined);
});

test("answers of every media type of JSON are parsed", async () => {
	for (const type of ["application/json", "application/hal+json", "application/problem+json; charset=utf-8", "text/json"]) {
		const { result } = await run({ url: `${server.url}/hal?type=${encodeURIComponent(type)}` });
		assert.deepEqual([result["body"], result["parsed"]], [{ a: 1 }, true], type);
	}
	const { result } = await run({ url: `${server.url}/hal?type=application/jsonish` });
	assert.deepEqual([result["body"], result["parsed"]], ['{"a":1}', false]);
});

test("hosts can be allowed and forbidden, whatever their spelling, after redirects too", async () => {
	await assert.rejects(run({ url_hosts_blacklist: ["127.0.0.1"] }), /host "127.0.0.1" is in url_hosts_blacklist/);
	await assert.rejects(run({ url: `http://0x7f.1:${server.port}`, url_hosts_blacklist: ["127.0.0.1:80"] }), /blacklist/);
	await assert.rejects(run({ url: `http://LOCALHOST.:${server.port}`, url_hosts_blacklist: ["localhost"] }), /blacklist/);
	await assert.rejects(run({ url: "http://[::1]:1", url_hosts_blacklist: ["::1"] }), /host "::1" is in url_hosts_blacklist/);
	await assert.rejects(run({ url_hosts_whitelist: ["example.com"] }), /is not in url_hosts_whitelist/);
	await assert.rejects(
		run({ ...redirect(`http://localhost:${other.port}`), url_hosts_whitelist: ["127.0.0.1"] }),
		/host "localhost" is not in/,
	);
	assert.equal((await run({ url_hosts_whitelist: ["127.0.0.1"] })).succeeded, true);
	await assert.rejects(run({ url_hosts_whitelist: ["a"], url_hosts_blacklist: ["b"] }), /cannot be used together/);
});

test("private addresses are refused when they are not allowed: as written, as looked up, and after a redirect", async () => {
	const closed = { allow_private_addresses: false };
	const narrowed = { svc_allow_private_addresses: false };
	for (const url of [
		server.url,
		`http://localhost:${server.port}`,
		`http://[::1]:${server.port}`,
		`http://[::ffff:127.0.0.1]:${server.port}`,
		`http://2130706433:${server.port}`,
		`http://0:${server.port}`,
	]) {
		await assert.rejects(run({ ...narrowed, url }), /private address, which allow_private_addresses forbids/, url);
		await assert.rejects(run({ url }, {}, closed), /private address/, url);
	}
	await assert.rejects(run({ ...narrowed, http_proxy: server.url }), /cannot be used while private addresses are not allowed/);
});

test("private addresses are known in every guise", () => {
	for (const address of [
		"10.1.2.3",
		"172.31.0.1",
		"192.168.1.1",
		"169.254.169.254",
		"100.64.0.1",
		"0.0.0.0",
		"224.0.0.1",
		"255.255.255.255",
		"::",
		"::1",
		"fe80::1",
		"fe80::1%eth0",
		"fd00::1",
		"ff02::1",
		"::ffff:10.0.0.1",
		"::ffff:a9fe:a9fe",
		"::10.0.0.1",
		"64:ff9b::10.0.0.1",
		"2002:a00:1::",
	]) {
		assert.equal(isPrivateAddress(address), true, address);
	}
	for (const address of [
		"8.8.8.8",
		"172.32.0.1",
		"100.128.0.1",
		"2606:4700::1111",
		"::ffff:8.8.8.8",
		"64:ff9b::8.8.8.8",
		"2002:808:808::",
	]) {
		assert.equal(isPrivateAddress(address), false, address);
	}
});

test("a certificate must be valid, unless that is switched off or its authority is known", async () => {
	const files = await createSelfSigned();
	const secure = await startTlsServer(files, (_request, answer) => answerJson(answer, { secure: true }));
	const proxy = await startProxy();
	try {
		await assert.rejects(run({ url: secure.url }), /request to https:\/\/127.0.0.1:\d+ failed: self-signed certificate/);
		assert.equal((await run({ url: secure.url, verify_ssl_cert: false })).succeeded, true);
		assert.equal((await run({ url: secure.url }, {}, { ca_file: files.certificate })).succeeded, true);
		await assert.rejects(run({}, {}, { ca_file: "/nothing" }), /ca_file "\/nothing" cannot be read/);
		const through = { url: secure.url, https_proxy: proxy.url.replace("//", "//me:secret@") };
		assert.equal((await run(through, {}, { ca_file: files.certificate })).succeeded, true);
		await assert.rejects(run(through), /self-signed certificate/);
		assert.deepEqual([...new Set(proxy.seen)], [`CONNECT 127.0.0.1:${secure.port} Basic ${btoa("me:secret")}`]);
	} finally {
		await Promise.all([proxy.stop(), secure.stop(), files.remove()]);
	}
});

test("http addresses go through http_proxy as they are", async () => {
	const proxy = await startProxy();
	try {
		assert.equal((await answered({ url: `${server.url}/x`, http_proxy: proxy.url, https_proxy: "http://127.0.0.1:1" })).host, "server");
		assert.deepEqual(proxy.seen, [`GET ${server.url}/x -`]);
		await assert.rejects(
			run({ http_proxy: "http://me:secret@127.0.0.1:1" }),
			(error: Error) => /ECONNREFUSED/.test(error.message) && !/secret/.test(`${error.stack}`),
		);
	} finally {
		await proxy.stop();
	}
});

test("a file is sent as a form, from a text or from the pack's directory", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-http-files-"));
	try {
		await writeFile(join(directory, "report.txt"), "from the pack");
		await symlink("/etc/passwd", join(directory, "sly"));
		const given = await answered(
			{},
			{ file_name: "a.csv", file_content: "1,2", file_content_type: "text/csv", body: '{"note": "n", "list": [1]}' },
		);
		assert.equal(given.method, "POST");
		assert.match(given.headers["content-type"] ?? "", /^multipart\/form-data; boundary=/);
		for (const part of ['name="note"', "n\r\n", 'name="list"', "[1]", 'name="file"; filename="a.csv"', "Content-Type: text/csv", "1,2"])
			assert.ok(given.body.includes(part), part);
		const read = await answered({}, { svc_file_path: "report.txt" }, {}, directory);
		assert.ok(read.body.includes('filename="report.txt"') && read.body.includes("from the pack"));
		for (const path of ["../../etc/passwd", "/etc/passwd", "sly"])
			await assert.rejects(run({}, { svc_file_path: path }, {}, directory), /is neither in the action's pack/, path);
		await assert.rejects(run({}, { svc_file_path: "nothing" }, {}, directory), /cannot be read/);
		await assert.rejects(run({}, { svc_file_path: "/etc/passwd" }), /has no directory/);
		assert.equal((await run({}, { svc_file_path: join(directory, "report.txt") }, { file_roots: [directory] })).succeeded, true);
		await assert.rejects(run({}, { file_content: "x", body: "[1]" }), /must be an object of form fields/);
	} finally {
		await rm(directory, { recursive: true });
	}
});

test.after(async () => void (await Promise.all([server.stop(), other.stop()])));

test.run();

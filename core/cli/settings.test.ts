import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { parseIni, setIniValue } from "./ini.ts";
import { resolveSettings } from "./settings.ts";
import { readCachedToken, writeCachedToken } from "./token-cache.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-"));
const config = join(home, ".svc", "config");
mkdirSync(join(home, ".svc"));
writeFileSync(config, "[api]\nurl = http://file:1/v1\n\n[credentials]\nusername = maria\npassword = a;b=%c\n");
test.after(() => rmSync(home, { recursive: true }));

test("command line wins over environment, environment over file, file over default", () => {
	const env = { HOME: home, SVC_API_URL: "http://env:2/v1" };
	assert.equal(resolveSettings({ apiUrl: "http://line:3/v1" }, env).addresses.apiUrl, "http://line:3/v1");
	assert.equal(resolveSettings({}, env).addresses.apiUrl, "http://env:2/v1");
	assert.equal(resolveSettings({}, { HOME: home }).addresses.apiUrl, "http://file:1/v1");
	assert.equal(resolveSettings({ skipConfig: true }, { HOME: home }).addresses.apiUrl, "http://127.0.0.1:9101/v1");
});

test("a base address gives the three components their own ports", () => {
	assert.deepEqual(resolveSettings({ url: "https://svc.example.org/", skipConfig: true }, { HOME: home }).addresses, {
		apiUrl: "https://svc.example.org:9101/v1",
		authUrl: "https://svc.example.org:9100/v1",
		streamUrl: "https://svc.example.org:9102/v1",
	});
});

test("without an address the ports of the service are those of its environment variables", () => {
	const ports = { HOME: join(home, "nobody"), SVC_API_PORT: "9201", SVC_AUTH_PORT: "9200", SVC_STREAM_PORT: "9202" };
	assert.deepEqual(resolveSettings({}, ports).addresses, {
		apiUrl: "http://127.0.0.1:9201/v1",
		authUrl: "http://127.0.0.1:9200/v1",
		streamUrl: "http://127.0.0.1:9202/v1",
	});
	assert.equal(resolveSettings({}, { ...ports, SVC_AUTH_PORT: "" }).addresses.authUrl, "http://127.0.0.1:9201/auth/v1");
	assert.equal(resolveSettings({}, { ...ports, SVC_API_PORT: "0" }).addresses.apiUrl, "http://127.0.0.1:9101/v1");
	for (const given of [{ apiUrl: "https://svc.example.org" }, { url: "https://svc.example.org" }]) {
		assert.doesNotMatch(JSON.stringify(resolveSettings(given, ports).addresses), /920[0-2]/);
	}
	assert.equal(resolveSettings({}, { ...ports, HOME: home }).addresses.authUrl, "http://file:1/auth/v1");
	assert.throws(() => resolveSettings({}, { ...ports, SVC_API_PORT: "http" }), {
		exitCode: 2,
		message: 'SVC_API_PORT: "http" must be a port number, from 0 to 65535',
	});
});

test("values of the file are taken literally", () => {
	assert.equal(resolveSettings({}, { HOME: home }).password, "a;b=%c");
});

test("a configuration file that was named must exist, the default one need not", () => {
	assert.throws(() => resolveSettings({ configFile: join(home, "none") }, { HOME: home }), { name: "CliExit", exitCode: 2 });
	assert.equal(resolveSettings({}, { HOME: join(home, "nobody") }).username, undefined);
});

test("something that is no address is refused", () => {
	assert.throws(() => resolveSettings({ apiUrl: "here" }, { HOME: home }), {
		exitCode: 2,
		message: /^--api-url: "here" must be an address such as http:/,
	});
});

test("changing a key leaves the rest of the file as it was", () => {
	const text = "# mine\n[cli]\ndebug = true\n\n[credentials]\npassword = x\nusername = a\n[api]\nurl = u\n";
	const changed = setIniValue(setIniValue(text, "credentials", "password", undefined), "credentials", "username", "b");
	assert.equal(changed, "# mine\n[cli]\ndebug = true\n\n[credentials]\nusername = b\n[api]\nurl = u\n");
	assert.deepEqual(parseIni(setIniValue("", "credentials", "username", "c"))["credentials"]?.["username"], "c");
});

test("a cached token is its owner's only and is given until shortly before it expires", () => {
	const directory = join(home, "cache");
	const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().replace("Z", "000Z");
	writeCachedToken(directory, "maria", "secret", at(60));
	assert.equal(readCachedToken(directory, "maria"), "secret");
	assert.equal(statSync(join(directory, "token-maria")).mode & 0o777, 0o600);
	assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(directory, "token-maria"), "utf8"))), ["token", "expire_timestamp"]);
	writeCachedToken(directory, "maria", "secret", at(10));
	assert.equal(readCachedToken(directory, "maria"), undefined);
	assert.equal(readCachedToken(directory, "nobody"), undefined);
	writeFileSync(join(directory, "token-maria"), "{");
	assert.throws(() => readCachedToken(directory, "maria"), { name: "CliExit", message: /remove it and sign in again/ });
});

test.run();

import * as assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { createPluginContext } from "../../core/testing/plugin-context.ts";
import { openidConnect } from "./index.ts";

const usual = { issuer: "https://login.example.org/realms/staff", client_id: "svc" };

/** What is wrong with the options, as a plan says it. */
async function problemsOf(options: object): Promise<string> {
	try {
		await openidConnect(options as never)
			.create()
			.check?.(createPluginContext());
		return "";
	} catch (error) {
		assert.ok(isSvcError(error, "SVC_CONFIG"));
		return error.message;
	}
}

test("options that are wrong are named with what is allowed", async () => {
	assert.equal(await problemsOf(usual), "");
	assert.equal(await problemsOf({ ...usual, issuer: "http://127.0.0.1:8080" }), "");
	const wrong: readonly (readonly [object, RegExp])[] = [
		[{}, /issuer: required.*client_id: required/],
		[{ ...usual, issuer: "http://login.example.org" }, /issuer: must be an address that begins with https:/],
		[{ ...usual, issuer: "https://login.example.org/?x=1" }, /issuer: must not contain a query/],
		[{ ...usual, client_secret: "a", client_secret_file: "/b" }, /client_secret_file: cannot be combined/],
		[{ ...usual, client_secret_file: "b" }, /client_secret_file: must be an absolute path/],
		[{ ...usual, client_secret_file: "/nonexistent/secret" }, /client_secret_file: ENOENT/],
		[{ ...usual, client_auth: "none" }, /client_auth: must be "auto" or/],
		[{ ...usual, scopes: ["email"] }, /scopes: must include "openid"/],
		[{ ...usual, scopes: ["openid email"] }, /scopes: must each be a name without spaces/],
		[{ ...usual, required_claims: { hd: [] } }, /required_claims: "hd" must be a string, or a list/],
		[{ ...usual, require_verified_email: "yes" }, /require_verified_email: must be true or false/],
		[{ ...usual, clock_tolerance: 3_600 }, /clock_tolerance: must be a whole number from 0 to 300/],
		[{ ...usual, network_timeout: 0 }, /network_timeout: must be a number from 0\.1 to 60/],
		[{ ...usual, group_claim: "groups" }, /group_claim: unknown option; allowed: issuer, /],
	];
	for (const [options, message] of wrong) assert.match(await problemsOf(options), message);
});

test("a secret may stand in a file, which must hold something", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-oidc-"));
	const file = join(directory, "secret");
	try {
		await writeFile(file, "\n");
		assert.match(await problemsOf({ ...usual, client_secret_file: file }), /is empty/);
		await writeFile(file, "secret\n");
		assert.equal(await problemsOf({ ...usual, client_secret_file: file }), "");
	} finally {
		await rm(directory, { recursive: true });
	}
});

test("a backend that has not been started, or has been stopped, lets nobody in", async () => {
	const backend = openidConnect(usual).create();
	const begin = () =>
		backend.interactive?.begin({ redirectUri: "https://svc.example.org/", state: "x" }, { signal: new AbortController().signal });
	await assert.rejects(
		async () => begin(),
		(error) => isSvcError(error, "SVC_UNAVAILABLE"),
	);
	await backend.start?.(createPluginContext());
	await backend.stop?.();
	await assert.rejects(
		async () => begin(),
		(error) => isSvcError(error, "SVC_UNAVAILABLE"),
	);
	assert.equal(backend.interactive?.label, "login.example.org");
});

test.run();

import * as assert from "node:assert/strict";
import { test } from "uvu";
import { sayLogout, toCookie, withProviderService } from "../../core/testing/auth/provider-service.test-support.ts";
import type { AuditEntryEntity } from "./entities.ts";

test("whoever comes in by a provider, or goes by it, is in the record; what only begins a sign-in is not", () =>
	withProviderService(async ({ openBrowser, ask, signIn, provider, urls }) => {
		const browser = openBrowser();
		const location = (await fetch(await browser.begin("/"), { redirect: "manual" })).headers.get("location") ?? "";
		const token = toCookie(await browser.comeBack(new URL(location).search.slice(1)), "auth-token").slice("auth-token=".length);
		const entries = (await ask(token, "GET", "/v1/audit/entries?user=ann@example.com")).body as unknown as AuditEntryEntity[];
		const [signedIn] = entries.filter(({ verb }) => verb === "sign_in");
		assert.deepEqual([signedIn?.request, signedIn?.outcome], ["GET /sso/callback", "done"]);
		const [assigned] = entries.filter(({ record_kind }) => record_kind === "role_assignment");
		assert.deepEqual([assigned?.verb, assigned?.ref], ["create", "admin of ann@example.com"]);
		const { body: all } = await ask(token, "GET", "/v1/audit/entries?after=0");
		assert.doesNotMatch(JSON.stringify(all), /sso\/request/);
		assert.equal((await sayLogout(urls.api, provider.toSignOut())).status, 200);
		assert.equal((await sayLogout(urls.api, "of nobody")).status, 400);
		const root = await signIn("root");
		const { body: after } = await ask(root, "GET", "/v1/audit/entries?user=ann@example.com");
		const [signedOut] = (after as unknown as AuditEntryEntity[]).filter(({ verb }) => verb === "sign_out");
		assert.deepEqual([signedOut?.request, signedOut?.record_id], ["POST /sso/back-channel-logout", signedIn?.record_id]);
	}));

test.run();

import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { AuditEntryEntity } from "../../contract/index.ts";
import { toCookie, withProviderService } from "../../testing/auth/provider-service.test-support.ts";

test("whoever comes in by a provider is in the record; what only begins a sign-in is not", () =>
	withProviderService(async ({ openBrowser, ask }) => {
		const browser = openBrowser();
		const location = (await fetch(await browser.begin("/"), { redirect: "manual" })).headers.get("location") ?? "";
		const token = toCookie(await browser.comeBack(new URL(location).search.slice(1)), "auth-token").slice("auth-token=".length);
		const entries = (await ask(token, "GET", "/v1/audit/entries?user=ann@example.com")).body as unknown as AuditEntryEntity[];
		const [signedIn] = entries.filter(({ verb }) => verb === "sign_in");
		assert.deepEqual([signedIn?.request, signedIn?.outcome], ["GET /sso/callback", "done"]);
		const { body: all } = await ask(token, "GET", "/v1/audit/entries?after=0");
		assert.doesNotMatch(JSON.stringify(all), /sso\/request/);
	}));

test.run();

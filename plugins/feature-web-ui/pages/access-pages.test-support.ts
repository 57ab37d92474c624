import * as assert from "node:assert/strict";
import { hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, goTo, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

/** Characters that nobody sees are refused. */
const seenText = hostileText.replace("\u0000", "").replace("\u202e", "");

webTest("a key is made and shown once, changed, switched off and deleted", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const page = await web.open("root", "/apikeys");
		const dialog = page.getByRole("dialog");
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await page.getByText("No API keys found").waitFor();
		await page.getByRole("button", { name: "Create …" }).click();
		await dialog.getByLabel("expires_at").fill("soon");
		await dialog.getByRole("button", { name: "Create" }).click();
		await dialog.getByRole("alert").getByText("expires_at").waitFor();
		await assertClean(page);
		await dialog.getByLabel("expires_at").fill("2999-01-01T00:00:00Z");
		await dialog.getByLabel("metadata").fill(JSON.stringify({ for: seenText }));
		await dialog.getByLabel("scopes").fill('["action_list"]');
		await dialog.getByRole("button", { name: "Create" }).click();
		const key = await dialog.getByLabel("Key").inputValue();
		const asKey = await fetch(`${web.urls.api}/v1/actions`, { headers: { "svc-api-key": key } });
		assert.equal(asKey.status, 200);
		await assertClean(page);
		await dialog.getByRole("button", { name: "Copy" }).click();
		await dialog.getByText("The key is copied.").waitFor();
		await dialog.getByRole("button", { name: "Done" }).click();
		await page.getByText("onerror").waitFor();
		await page.getByText("action_list").waitFor();
		assert.notEqual(await page.title(), "taken");
		assert.equal((await page.content()).includes(key), false);
		assert.equal(await page.locator(`input`).count(), 0);
		await assertClean(page);
		await page.getByRole("button", { name: "Disable" }).click();
		await page.getByRole("button", { name: "Enable" }).waitFor();
		assert.equal((await fetch(`${web.urls.api}/v1/actions`, { headers: { "svc-api-key": key } })).status, 401);
		await page.getByRole("button", { name: "Change …" }).click();
		await dialog.getByLabel("metadata").fill('{"for": "the build farm"}');
		await dialog.getByLabel("scopes").fill("");
		await dialog.getByRole("button", { name: "Change" }).click();
		await page.getByText("the build farm").waitFor();
		await page.getByText("The key may do everything that its owner may do.").waitFor();
		await page.getByRole("link", { name: "root" }).click();
		await page.getByRole("table", { name: "API keys" }).waitFor();
		assert.match(page.url(), /#\/apikeys\?user=root$/);
		await assertClean(page);
		await page.goBack();
		await page.getByRole("button", { name: "Delete …" }).click();
		await dialog.getByRole("button", { name: "Delete" }).click();
		await page.getByText("No API keys found").waitFor();
		assert.deepEqual((await web.ask(root, "GET", "/v1/apikeys")).body, []);
	}),
);

webTest("roles and who has them are for administrators; everybody sees what they may do, and not more", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			const made = await web.ask(root, "POST", "/v1/apikeys", { metadata: { for: "all" } });
			const page = await web.open("root", "/access");
			await page.getByText("You may do everything.").waitFor();
			await assertClean(page);
			await page.getByRole("link", { name: "Roles" }).click();
			await page.getByRole("link", { name: "given" }).click();
			await page.getByText("timer_list").waitFor();
			await assertClean(page);
			await page.getByRole("link", { name: "Users with this role" }).click();
			await page.getByRole("cell", { name: "ann" }).waitFor();
			assert.match(page.url(), /#\/access\/assignments\?role=given$/);
			assert.equal(await page.getByRole("cell", { name: "olga" }).count(), 0);
			await assertClean(page);
			const viewer = await web.open("olga", `/apikeys/${made.body["id"]}`);
			await viewer.getByRole("heading", { name: "API key of root" }).waitFor();
			assert.equal(await viewer.getByRole("button", { name: /able|Change|Delete/ }).count(), 0);
			await assertClean(viewer);
			await goTo(viewer, "/apikeys");
			await viewer.getByRole("table", { name: "API keys" }).waitFor();
			assert.equal(await viewer.getByRole("button", { name: "Create …" }).count(), 0);
			const somebody = await web.open("ann", "/access/roles");
			await somebody.getByRole("cell", { name: "timer_list" }).waitFor();
			assert.equal(await somebody.getByRole("link", { name: "Roles" }).count(), 0);
			const links = await somebody.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link").allTextContents();
			assert.deepEqual(links, ["Start", "Events", "Datastore", "Access"]);
			await assertClean(somebody);
			await goTo(somebody, "/access/roles/given");
			await somebody.getByRole("alert").waitFor();
			await goTo(somebody, "/nodes");
			await somebody.getByRole("alert").getByText(/admin/).waitFor();
			await assertClean(somebody);
		},
		{ grants: [{ permission_types: ["timer_list"] }] },
	),
);

webTest("the audit record is listed, filtered and looked through, by whoever may", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			for (const name of ["one", "two"]) await web.ask(root, "PUT", `/v1/keys/${name}`, { value: "a secret value", secret: true });
			await web.ask(await web.signIn("olga"), "DELETE", "/v1/keys/one");
			const page = await web.open("root", "/audit");
			await page.getByRole("cell", { name: "key_value two" }).waitFor();
			await page.getByRole("button", { name: "Verify integrity" }).click();
			await page.getByText(/The audit log is intact: \d+ entries/).waitFor();
			await assertClean(page);
			await page.getByLabel("Name").fill("two");
			await page.getByLabel("Name").press("Enter");
			await page.getByText("1–1 of 1").waitFor();
			await goTo(page, "/audit?outcome=refused&user=olga");
			await page.getByText(/"olga" does not have the permission/).waitFor();
			assert.doesNotMatch(await page.content(), /a secret value/);
			await goTo(page, "/audit?ref=nothing");
			await page.getByText("No audit entry matches").waitFor();
			// An observer sees everything else.
			const viewer = await web.open("olga", "/audit");
			await viewer
				.getByRole("alert")
				.getByText(/audit_view/)
				.first()
				.waitFor();
			assert.equal(await viewer.getByRole("link", { name: "Audit" }).count(), 0);
			const auditor = await web.open("ann", "/audit");
			await auditor.getByRole("cell", { name: "key_value two" }).waitFor();
			await auditor.getByRole("link", { name: "Audit" }).waitFor();
		},
		{ grants: [{ permission_types: ["audit_view"] }] },
	),
);

webTest("without access control everybody may do everything, but nobody may name another user's items", () =>
	withWeb(
		async (web) => {
			const page = await web.open("ann", "/access");
			await page.getByText("Access control is off").waitFor();
			await assertClean(page);
			await goTo(page, "/nodes");
			await page.getByRole("table", { name: "Nodes" }).waitFor();
			await goTo(page, "/datastore/user");
			await page.getByText("There are no items in this scope").waitFor();
			assert.equal(await page.getByLabel("Owner").count(), 0);
			await page.getByRole("button", { name: "Create …" }).waitFor();
		},
		{ rbac: { enable: false } },
	),
);

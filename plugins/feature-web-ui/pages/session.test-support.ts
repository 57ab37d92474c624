import * as assert from "node:assert/strict";
import { assertClean, goTo, signInAs, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";
import { beginUntil, yard } from "../../../core/testing/web/yard.test-support.ts";

webTest("whoever signs in is where they wanted to be, and no script can read their token", () =>
	withWeb(async ({ openSignedOut }) => {
		const page = await openSignedOut("/history?status=failed");
		await page.getByRole("heading", { name: "Sign in to svc" }).waitFor();
		await assertClean(page);
		await page.getByLabel("User").fill("root");
		await page.getByLabel("Password").fill("wrong");
		await page.getByRole("button", { name: "Sign in" }).click();
		await page.getByRole("alert").getByText("Unauthorized").waitFor();
		await signInAs(page, "root");
		assert.equal(new URL(page.url()).hash, "#/history?status=failed");
		assert.equal(await page.getByLabel("Status").inputValue(), "failed");
		const readable = await page.evaluate<string>("JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])");
		assert.doesNotMatch(readable, /[0-9a-f]{32}/);
		const [cookie] = await page.context().cookies();
		assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ["auth-token", true, "Lax"]);
	}),
);

webTest("signing out ends the token in the service; a session that has ended asks to sign in, and leads back", () =>
	withWeb(async ({ open, urls }) => {
		const page = await open("root", "/history?action=default.speak");
		const [cookie] = await page.context().cookies();
		const ask = () => fetch(`${urls.api}/v1/user`, { headers: { "x-auth-token": cookie?.value ?? "" } });
		assert.equal((await ask()).status, 200);
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.getByRole("heading", { name: "Sign in to svc" }).waitFor();
		assert.equal((await ask()).status, 401);
		await signInAs(page, "olga");
		assert.match(page.url(), /action=default\.speak$/);
		await page.locator(".live", { hasText: "live" }).waitFor();
		await page.getByText("No execution matches").waitFor();
		await page.context().clearCookies();
		// The session ends with this request, or with one that the page sends by itself before: then the page shows the form already.
		await goTo(page, "/history?status=failed");
		await page.getByRole("alert").getByText("Your session has ended").waitFor();
		await signInAs(page, "root");
		assert.match(page.url(), /status=failed/);
	}),
);

webTest("without authentication nobody has to sign in", () =>
	withWeb(
		async ({ openSignedOut }) => {
			const page = await openSignedOut("/");
			await page.getByRole("heading", { name: "Executions" }).waitFor();
			assert.equal(await page.getByRole("button", { name: "Sign out" }).count(), 0);
			await page.getByRole("region", { name: "Access control is off" }).getByText("auth.enable: true").waitFor();
			await assertClean(page);
		},
		{ auth: { enable: false }, rbac: { enable: false } },
	),
);

webTest("a user who is not an administrator can read every page of records if api.max_page_size is small", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			const rule = { trigger: { type: "core.svc.webhook", parameters: { url: "sample" } }, action: { ref: "yard.talk" } };
			for (const name of ["first", "second", "third", "fourth"]) {
				assert.equal((await web.ask(root, "POST", "/v1/rules", { ...rule, name, enabled: name === "first" })).status, 201);
			}
			await web.ask(root, "POST", "/v1/webhooks/sample", {});
			const failed = await beginUntil(web, root, "yard.halves", { status: "failed" });
			const many = await beginUntil(web, root, "yard.many", { status: "succeeded", parameters: { count: 7 } });
			const [event] = (await web.ask(root, "GET", "/v1/triggerinstances")).body as unknown as readonly { readonly id: string }[];
			const page = await web.open("olga", "/");
			const refused: string[] = [];
			page.on("response", (response) => response.status() === 403 && refused.push(response.url()));
			const shows = async (address: string, text: string) => {
				await goTo(page, address);
				await page.getByText(text).first().waitFor();
				await page.locator(".loading").first().waitFor({ state: "detached" });
			};
			await shows("/?range=1h", "Recent failures");
			await shows("/history?all=shown", "1–2 of");
			await page.getByRole("button", { name: "Next" }).click();
			await page.getByText("3–4 of").waitFor();
			await shows("/actions", "1–2 of");
			await shows("/actions/yard.talk", "All executions of this action");
			await shows("/rules", "1–2 of 4");
			await shows("/rules/default.first?view=history", "1–1 of 1");
			await shows("/rules/default.first?view=test", "Test with");
			await shows("/packs/yard", "Actions");
			await shows("/events/triggers/core.svc.webhook", "default.first");
			await shows(`/why?event=${event?.id}`, "2 more rules of this trigger are not tested here");
			await shows(`/history/${failed}`, "Failed task");
			await shows(`/history/${failed}/children`, "yard.talk");
			await shows(`/history/${many}/time`, "7 executions");
			await shows(`/history/${many}/graph?task=each`, "7 executions");
			await page.getByRole("list", { name: "Executions of this task" }).getByText("succeeded").nth(6).waitFor();
			await page.keyboard.press("Control+k");
			await page.getByRole("dialog").getByRole("option").filter({ hasText: "default.first" }).waitFor();
			assert.deepEqual(refused, []);
			await assertClean(page);
		},
		{ ...yard, api: { max_page_size: 2 } },
	),
);

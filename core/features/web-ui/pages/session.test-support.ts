import * as assert from "node:assert/strict";
import { assertClean, signInAs, webTest, withWeb } from "../../../testing/web/web.test-support.ts";

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
		// Whatever is still on its way would say that the session is over before somebody does anything.
		await page.locator(".live", { hasText: "live" }).waitFor();
		await page.getByText("No run is like this").waitFor();
		await page.context().clearCookies();
		await page.getByLabel("Status").selectOption("failed");
		await page.getByRole("alert").getByText("Your session has ended").waitFor();
		await signInAs(page, "root");
		assert.match(page.url(), /status=failed/);
	}),
);

webTest("without authentication nobody has to sign in", () =>
	withWeb(
		async ({ openSignedOut }) => {
			const page = await openSignedOut("/");
			await page.getByRole("heading", { name: "Runs" }).waitFor();
			assert.equal(await page.getByRole("button", { name: "Sign out" }).count(), 0);
			await page.getByRole("region", { name: "Access control is off" }).getByText("auth.enable: true").waitFor();
			await assertClean(page);
		},
		{ auth: { enable: false }, rbac: { enable: false } },
	),
);

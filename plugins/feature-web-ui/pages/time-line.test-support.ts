import * as assert from "node:assert/strict";
import { assertClean, assertFitsPhone, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";
import { beginUntil, yard } from "../../../core/testing/web/yard.test-support.ts";

webTest("400 nested runs are in time, of which the page holds those that are seen", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const id = await beginUntil(web, root, "yard.many", { status: "succeeded", parameters: { count: 400 } });
		const page = await web.open("root", `/history/${id}/time`);
		await page.getByText("400 executions").waitFor();
		await page.getByRole("link", { name: "each 1", exact: true }).waitFor();
		assert.ok((await page.locator("*").count()) <= 600);
		const rows = page.getByRole("region", { name: "Timeline" });
		await rows.focus();
		await page.keyboard.press("End");
		await page.locator('li[aria-posinset="400"]').waitFor();
		assert.ok((await page.locator("*").count()) <= 600);
		await assertClean(page);
		await assertFitsPhone(page);
	}, yard),
);

webTest("what waited and what ran are told apart, as it goes on; the list of runs is shown in time, too", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const id = await beginUntil(web, root, "yard.waiting", { status: "running" });
		const page = await web.open("olga", `/history/${id}/time`);
		const row = page.getByRole("region", { name: "Timeline" }).getByRole("listitem");
		await row.getByRole("link", { name: "hold" }).waitFor();
		await row.getByText("running").waitFor();
		assert.equal(await row.locator(".waited").count(), 1);
		assert.equal(await row.locator(".ran.busy").count(), 1);
		const [child] = (await web.ask(root, "GET", `/v1/executions?parent=${id}`)).body as unknown as { readonly id: string }[];
		await web.ask(root, "DELETE", `/v1/executions/${child?.id}`);
		await row.getByText("canceled").waitFor();
		await assertClean(page);
		await page.goto(page.url().replace(/#.*/, "#/history?all=shown"));
		await page.getByRole("link", { name: "Show as a timeline" }).click();
		const runs = page.getByRole("region", { name: "Timeline of executions" });
		await runs.getByRole("link", { name: "yard.talk" }).waitFor();
		assert.match(page.url(), /all=shown&show=time/);
		await assertClean(page);
		await assertFitsPhone(page);
		await page.goBack();
		await page.getByRole("table", { name: "Executions" }).waitFor();
	}, yard),
);

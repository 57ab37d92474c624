import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { assertClean, assertFitsPhone, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";
import { beginUntil, yard } from "../../../core/testing/web/yard.test-support.ts";

webTest("a workflow is drawn with what came of its tasks; the chosen one stands in the address, and back leads back", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const id = await beginUntil(web, root, "yard.whole", { status: "failed" });
		const page = await web.open("root", `/history/${id}/graph`);
		const task = (name: RegExp) => page.getByRole("link", { name });
		await task(/^check yard\.talk · for each item succeeded, 3 of 3 items$/).waitFor();
		await task(/^other yard\.talk succeeded, 2 times$/).waitFor();
		await task(/^both yard\.talk · joins all failed$/).waitFor();
		await task(/^never yard\.talk not run$/).waitFor();
		await task(/^begin no action · starts succeeded$/).waitFor();
		await page.getByText("5 tasks, 4 ended, 1 failed, 0 active").waitFor();
		assert.equal(await page.locator(".graph .edge.taken").count(), 5);
		assert.equal(await page.locator(".graph .edge").count(), 6);
		await page.getByText("Choose a task").waitFor();
		await assertClean(page);
		await task(/^both yard/).click();
		const panel = page.getByRole("region", { name: "Task both" });
		await panel.getByText("broken <img src=x onerror").first().waitFor();
		assert.notEqual(await page.title(), "taken");
		assert.match(page.url(), /\/graph\?task=both$/);
		await assertClean(page);
		await task(/^other yard/).click();
		await page.getByText("publishes rounds (taken)").waitFor();
		await page.goBack();
		await task(/^check yard/).click();
		const items = page.getByRole("list", { name: "Executions of this task" }).getByRole("link");
		await items.nth(2).waitFor();
		await items.nth(1).click();
		await page.getByText("checked beta").first().waitFor();
		assert.match(page.url(), /task=check&run=/);
		await assertClean(page);
		await page.goBack();
		await page.getByText("checked gamma").first().waitFor();
		await page.goBack();
		await page.getByRole("region", { name: "Task both" }).waitFor();
		await panel.getByRole("link", { name: "Open its log" }).click();
		await page.waitForURL(/\/log$/);
		await page.goto(page.url().replace(/#.*/, `#/history/${id}`));
		const failing = page.locator("section.failing");
		await failing.getByRole("link", { name: "both", exact: true }).waitFor();
		await failing.getByText("yard.talk").waitFor();
	}, yard),
);

webTest("the graph and the tasks change as the run goes on; the keyboard goes from task to task", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const id = await beginUntil(web, root, "yard.waiting", { status: "running" });
		const page = await web.open("root", `/history/${id}/graph?task=hold`);
		await page.getByRole("link", { name: "hold yard.talk · starts running" }).waitFor();
		await page.getByRole("link", { name: "hold yard.talk · starts running" }).focus();
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.getByRole("region", { name: "Task after" }).getByText("This task has not run").waitFor();
		assert.match(page.url(), /task=after$/);
		const [child] = (await web.ask(root, "GET", `/v1/executions?parent=${id}`)).body as unknown as { readonly id: string }[];
		await web.ask(root, "DELETE", `/v1/executions/${child?.id}`);
		await page.getByRole("link", { name: /^hold yard\.talk · starts canceled$/ }).waitFor();
		await assertClean(page);
	}, yard),
);

webTest("tasks are listed, items in one line, each with its runs; chains have graph and tasks too", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const id = await beginUntil(web, root, "yard.whole", { status: "failed" });
		const page = await web.open("olga", `/history/${id}/tasks`);
		const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "check", exact: true }) });
		await row.getByText("3 of 3 items").waitFor();
		assert.equal(await page.getByRole("row").count(), 6);
		await assertClean(page);
		await page.getByRole("button", { name: "3 executions of check" }).click();
		assert.equal(await row.locator("li a").count(), 3);
		await assertClean(page);
		await row.getByRole("link", { name: "check", exact: true }).click();
		await page.getByRole("region", { name: "Task check" }).waitFor();
		const chain = await beginUntil(web, root, "yard.line", { status: "succeeded" });
		await page.goto(page.url().replace(/#.*/, `#/history/${chain}/graph`));
		await page.getByRole("link", { name: /^second yard\.talk succeeded$/ }).waitFor();
		await page.getByRole("link", { name: "Tasks", exact: true }).click();
		await page.getByRole("link", { name: "first", exact: true }).waitFor();
	}, yard),
);

webTest(
	"100 tasks are drawn in a box of their own, on a phone as well; a user who may see only the workflow sees no runs of its tasks",
	() =>
		withWeb(
			async (web) => {
				const root = await web.signIn("root");
				const id = await beginUntil(web, root, "yard.large", { status: "succeeded" });
				const page = await web.open("root", `/history/${id}/graph?task=step50`);
				await page.getByText("100 tasks, 100 ended, 0 active").waitFor();
				await assertFitsPhone(page);
				const size = () => page.locator("svg.graph").evaluate((svg) => svg.getBoundingClientRect().width);
				const before = await size();
				await page.getByRole("button", { name: "Larger" }).click();
				assert.ok((await size()) > before);
				await page.getByRole("button", { name: "Fit" }).click();
				assert.ok((await size()) < before);
				await assertClean(page);
				const whole = await beginUntil(web, root, "yard.whole", { status: "failed" });
				const ann = await web.open("ann", `/history/${whole}/graph?task=both`);
				await ann.getByRole("link", { name: /^both yard\.talk · joins all failed$/ }).waitFor();
				await ann.getByRole("region", { name: "Task both" }).getByRole("alert").getByText("execution_view").waitFor();
				await assertClean(ann);
				const tasks = await web.open("ann", `/history/${whole}/tasks`);
				await tasks.getByRole("link", { name: "both", exact: true }).waitFor();
				await assertFitsPhone(tasks);
			},
			{ ...yard, grants: [{ resource_uid: "action:yard:whole", permission_types: ["action_view"] }] },
		),
);

webTest("chosen tasks run again, items that have succeeded only when that is asked for; then the new run is shown", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const countParts = async (id: string) =>
			((await web.ask(root, "GET", `/v1/executions?parent=${id}`)).body as unknown as readonly object[]).length;
		const ended = (page: Page) => page.getByText("1 task, 1 ended, 1 failed, 0 active").waitFor();
		const toId = (page: Page) => /history\/([0-9a-f]{24})/.exec(page.url())?.[1] ?? "";
		const first = await beginUntil(web, root, "yard.halves", { status: "failed" });
		const page = await web.open("root", `/history/${first}/graph?task=each`);
		await page.getByRole("button", { name: "Run tasks again" }).click();
		const dialog = page.getByRole("dialog");
		assert.ok(await dialog.getByRole("checkbox", { name: "each failed" }).isChecked());
		await assertClean(page);
		await dialog.getByRole("button", { name: "Run 1 task again" }).click();
		await page.waitForURL((url) => !url.hash.includes(first));
		await ended(page);
		const second = toId(page);
		assert.equal(await countParts(second), 1);
		await page.getByRole("link", { name: /^each/ }).click();
		await page.getByRole("button", { name: "Run again from here" }).click();
		await dialog.getByLabel("also the items that have succeeded").check();
		await dialog.getByRole("button", { name: "Run 1 task again" }).click();
		await page.waitForURL((url) => !url.hash.includes(second));
		await ended(page);
		assert.equal(await countParts(toId(page)), 3);
		const viewer = await web.open("olga", `/history/${first}/graph?task=each`);
		await viewer.getByRole("region", { name: "Task each" }).waitFor();
		assert.equal(await viewer.getByRole("button", { name: /again/ }).count(), 0);
		const chain = await beginUntil(web, root, "yard.line", { status: "succeeded" });
		const other = await web.open("root", `/history/${chain}`);
		await other.getByRole("button", { name: "Run again", exact: true }).waitFor();
		assert.equal(await other.getByRole("button", { name: "Run tasks again" }).count(), 0);
	}, yard),
);

webTest("the executions of a task show their states, also beyond the first hundred", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const id = await beginUntil(web, root, "yard.many", { status: "succeeded", parameters: { count: 110 } });
		const page = await web.open("root", `/history/${id}/graph?task=each`);
		await page.getByRole("button", { name: "80 more" }).click();
		const runs = page.getByRole("list", { name: "Executions of this task" });
		await runs.getByText("succeeded").nth(109).waitFor();
		assert.equal(await runs.getByRole("link").count(), 110);
		await assertClean(page);
	}, yard),
);

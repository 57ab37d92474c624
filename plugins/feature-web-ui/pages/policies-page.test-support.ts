import * as assert from "node:assert/strict";
import { hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

const seenText = hostileText.replace("\u0000", "");

webTest("a policy is made by a form of its type, changed, switched off and on, and deleted", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const read = async () => (await web.ask(root, "GET", "/v1/policies/default.few")).body;
		const page = await web.open("root", "/policies");
		const dialog = page.getByRole("dialog");
		await page.getByText("There are no policies").waitFor();
		await assertClean(page);
		await page.getByRole("button", { name: "Create …" }).click();
		await dialog.getByLabel("policy_type").selectOption("action.retry");
		await dialog.getByLabel("retry_on").waitFor();
		await dialog.getByLabel("policy_type").selectOption("action.concurrency");
		await dialog.getByRole("button", { name: "Create" }).click();
		await dialog.getByText("threshold is required.").waitFor();
		await assertClean(page);
		await dialog.getByLabel("name").fill("few");
		await dialog.getByLabel("resource_ref").fill("default.speak");
		await dialog.getByLabel("description").fill(seenText);
		await dialog.getByLabel("threshold").fill("2");
		await dialog.getByRole("button", { name: "Create" }).click();
		await page.getByRole("heading", { name: "default.few" }).waitFor();
		assert.notEqual(await page.title(), "taken");
		await page.getByText("onerror").waitFor();
		await assertClean(page);
		await page.getByRole("button", { name: "Disable" }).click();
		await page.getByRole("button", { name: "Enable" }).waitFor();
		assert.equal((await read())["enabled"], false);
		await page.getByRole("button", { name: "Change …" }).click();
		await dialog.getByLabel("threshold").fill("3");
		await dialog.getByLabel("description").fill("Three at once.");
		await dialog.getByRole("button", { name: "Change" }).click();
		await page.getByText("Three at once.").waitFor();
		const { parameters, enabled } = await read();
		assert.deepEqual([parameters, enabled], [{ threshold: 3, action: "delay" }, false]);
		await page.getByRole("link", { name: "default", exact: true }).click();
		await page.getByRole("link", { name: "default.few" }).waitFor();
		assert.match(page.url(), /#\/policies\?pack=default$/);
		await assertClean(page);
		await page.getByLabel("Type").selectOption("action.retry");
		await page.getByText("No policy matches").waitFor();
		await page.goBack();
		await page.getByRole("link", { name: "default.few" }).click();
		await page.getByRole("button", { name: "Delete …" }).click();
		await dialog.getByRole("button", { name: "Delete" }).click();
		await page.getByText("There are no policies").waitFor();
	}),
);

webTest("policies are changed by who may", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			const policy = { name: "few", pack: "default", resource_ref: "default.speak", policy_type: "action.concurrency" };
			await web.ask(root, "POST", "/v1/policies", { ...policy, parameters: { threshold: 2 } });
			const viewer = await web.open("olga", "/policies");
			await viewer.getByRole("link", { name: "default.few" }).click();
			await viewer.getByRole("heading", { name: "default.few" }).waitFor();
			assert.equal(await viewer.getByRole("button", { name: /Create|able|Change|Delete/ }).count(), 0);
			await assertClean(viewer);
			const somebody = await web.open("ann", "/policies/default.few");
			await somebody.getByRole("button", { name: "Disable" }).click();
			await somebody.getByRole("button", { name: "Enable" }).waitFor();
			assert.equal(await somebody.getByRole("button", { name: /Change|Delete/ }).count(), 0);
			assert.equal(await somebody.getByRole("link", { name: "Policies" }).count(), 0);
			await assertClean(somebody);
		},
		{
			grants: [
				{ resource_uid: "policy:default:few", permission_types: ["policy_modify"] },
				{ resource_uid: "action:default:speak", permission_types: ["action_view"] },
			],
		},
	),
);

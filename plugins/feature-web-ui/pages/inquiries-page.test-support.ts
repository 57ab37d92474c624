import * as assert from "node:assert/strict";
import { flowRunner } from "../../../core/kernel/runs/flow-runner.test-support.ts";
import { assertClean, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";

const schema = {
	properties: {
		approved: { type: "boolean", required: true, description: "Delete the volume?" },
		code: { type: "string", secret: true },
	},
};

webTest("what waits is answered by whoever is asked, in the form of its schema; others are told that they are not", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			await web.ask(root, "POST", "/v1/actions", { name: "question", runner_type: "inquirer" });
			const page = await web.open("root", "/inquiries");
			await page.getByText("No inquiry is waiting for an answer").waitFor();
			await assertClean(page);
			const parameters = { route: "night-shift", users: ["root"], schema };
			const { body } = await web.ask(root, "POST", "/v1/executions", { action: "default.question", parameters });
			// It appears by itself.
			await page.getByRole("link", { name: "night-shift" }).waitFor();
			await assertClean(page);
			const viewer = await web.open("olga", `/inquiries/${String(body["id"])}`);
			await viewer.getByText("This inquiry asks other users").waitFor();
			await assertClean(viewer);
			await page.getByRole("link", { name: "night-shift" }).click();
			await page.getByRole("button", { name: "Answer" }).click();
			await page.getByText("approved is required.").waitFor();
			await page.getByLabel("approved").selectOption("true");
			await page.getByLabel("code").fill("a secret code");
			await assertClean(page);
			await page.getByRole("button", { name: "Answer" }).click();
			await page.getByText("succeeded").first().waitFor();
			assert.ok(page.url().endsWith(`#/history/${String(body["id"])}/general`));
			assert.equal((await page.content()).includes("a secret code"), false);
			const late = await web.open("root", `/inquiries/${String(body["id"])}`);
			await late.getByRole("alert").getByText("has already been responded to").waitFor();
		},
		{ runners: [inquirer()] },
	),
);

for (const hasHeldWork of [false, true]) {
	webTest(
		`the page of a paused run offers ${hasHeldWork ? "Resume where it does something" : "its question, and no Resume that would do nothing"}`,
		() =>
			withWeb(
				async (web) => {
					const root = await web.signIn("root");
					await web.ask(root, "POST", "/v1/actions", { name: "flow", runner_type: "flow" });
					const parameters = { steps: [{ key: "ask", action: "core.ask" }] };
					const { body } = await web.ask(root, "POST", "/v1/executions", { action: "default.flow", parameters });
					const page = await web.open("root", `/history/${String(body["id"])}`);
					await page.getByRole("status").getByText("paused").waitFor();
					const offered = hasHeldWork
						? page.getByRole("button", { name: "Resume" })
						: page.getByRole("link", { name: "Waiting for an answer" });
					await offered.waitFor();
					await assertClean(page);
					if (hasHeldWork) return;
					assert.equal(await page.getByRole("button", { name: "Resume" }).count(), 0);
					await offered.click();
					await page.getByRole("button", { name: "Answer" }).waitFor();
				},
				{ runners: [flowRunner({ hasHeldWork }), inquirer()] },
			),
	);
}

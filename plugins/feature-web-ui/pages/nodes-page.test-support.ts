import * as assert from "node:assert/strict";
import { chatty } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

webTest("a node tells what it does and what runs there; it is drained, and takes on work again", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			await web.ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
			const { body } = await web.ask(root, "POST", "/v1/executions", { action: "default.chatty", parameters: { wait: true } });
			const page = await web.open("root", "/nodes");
			await page.getByText("The node that serves this page:").waitFor();
			await page.getByRole("cell", { name: "ready" }).waitFor();
			await assertClean(page);
			// On a telephone the navigation is wider than what is seen of it.
			await page.setViewportSize({ width: 360, height: 700 });
			await page.reload();
			await page.locator('nav[aria-label="Pages"] [aria-current]').waitFor();
			const box = await page.locator('nav[aria-label="Pages"] [aria-current]').boundingBox();
			assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
			await page.setViewportSize({ width: 1280, height: 900 });
			await page.locator("a.row-link").click();
			await page.getByRole("link", { name: "default.chatty" }).waitFor();
			await assertClean(page);
			await page.getByRole("button", { name: "Drain …" }).click();
			await assertClean(page);
			await page.getByRole("dialog").getByRole("button", { name: "Drain" }).click();
			await page.getByText("draining").first().waitFor();
			const { body: nodes } = await web.ask(root, "GET", "/v1/nodes");
			assert.equal((nodes as unknown as readonly { drain: boolean }[])[0]?.drain, true);
			await page.getByRole("link", { name: "Nodes" }).click();
			await page.getByText("not ready: draining").waitFor();
			await assertClean(page);
			await page.goBack();
			await page.getByRole("button", { name: "Resume" }).click();
			await page.getByRole("button", { name: "Drain …" }).waitFor();
			await web.ask(root, "DELETE", `/v1/executions/${body["id"]}`);
			await page.getByText("No executions are running here").waitFor();
		},
		{ runners: [chatty()] },
	),
);

webTest("nodes are for administrators", () =>
	withWeb(async (web) => {
		const viewer = await web.open("olga", "/nodes");
		await viewer.getByRole("alert").getByText(/admin/).first().waitFor();
		assert.equal(await viewer.getByRole("link", { name: "Nodes" }).count(), 0);
		await assertClean(viewer);
	}),
);

webTest("workers are shown as they come and go, with what they run, to whoever may list them", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			const parameters = { svc_worker_labels: { default: ["site-a"], immutable: true } };
			await web.ask(root, "POST", "/v1/actions", { name: "far", runner_type: "chatty", parameters });
			const page = await web.open("ann", "/workers");
			await page.getByText("No worker has connected within the last day").waitFor();
			const { body: started } = await web.ask(root, "POST", "/v1/executions", { action: "default.far" });
			const poll = (more: object) =>
				web.ask(root, "POST", "/v1/workers/poll", {
					...{ instance: "0".repeat(32), name: "edge-1", hostname: "edge", pid: 7, version: "0.1.0", draining: false, wait: 2 },
					...{ labels: ["site-a"], runners: ["chatty"], places: 3, free: 1, jobs: [], ...more },
				});
			const { body: news } = await poll({});
			const [job] = news["jobs"] as readonly { readonly id: string; readonly fence: string }[];
			assert.ok(job !== undefined);
			await page.getByRole("cell", { name: "ready" }).waitFor();
			for (const name of ["site-a", "chatty", "0 of 3"]) await page.getByRole("cell", { name, exact: true }).waitFor();
			await assertClean(page);
			await poll({ free: 0, draining: true, wait: 0, jobs: [{ id: job.id, fence: job.fence, told: false }] });
			await page.getByRole("cell", { name: "draining" }).waitFor();
			await page.getByRole("cell", { name: "1 of 3" }).waitFor();
			await page.locator("a.row-link").click();
			await page.getByText("No executions are running here").waitFor();
			await assertClean(page);
			const seesAll = await web.open("olga", "/workers");
			await seesAll.locator("a.row-link").click();
			await seesAll.getByRole("link", { name: "default.far" }).waitFor();
			await assertClean(seesAll);
			await web.ask(root, "DELETE", `/v1/executions/${started["id"]}`);
		},
		{ runners: [chatty()], workers: { runners: ["chatty"] }, grants: [{ permission_types: ["worker_list"] }] },
	),
);

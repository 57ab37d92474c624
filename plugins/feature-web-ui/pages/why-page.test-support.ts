import * as assert from "node:assert/strict";
import { until } from "../../../core/testing/guarantees/until.test-support.ts";
import { hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, assertFitsPhone, goTo, type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";
import { beginUntil, yard } from "../../../core/testing/web/yard.test-support.ts";

const trigger = { type: "core.svc.webhook", parameters: { url: "hooks/sample", ledger: true } };

/** Three rules of a webhook: for what is large, for what is small, and one that is switched off. */
async function withRules({ ask, signIn }: WebUnderTest): Promise<string> {
	const root = await signIn("root");
	const send = async (path: string, body: object) => {
		const answer = await ask(root, "POST", `/v1${path}`, body);
		assert.ok(answer.status < 300, JSON.stringify(answer.body));
	};
	const rule = { trigger, enabled: true, action: { ref: "yard.talk", parameters: { text: "seen" } } };
	await send("/rules", { ...rule, name: "large", criteria: { "trigger.body.size": { type: "greaterthan", pattern: 5 } } });
	await send("/rules", { ...rule, name: "named", criteria: { "trigger.body.name": { type: "equals", pattern: "a whale" } } });
	await send("/rules", { ...rule, name: "off", enabled: false, criteria: {} });
	return root;
}

/** Something comes to the webhook; the execution of the rule that acts. */
async function deliver({ ask }: WebUnderTest, root: string): Promise<string> {
	await ask(root, "POST", "/v1/webhooks/hooks/sample", { size: 9, name: hostileText.replace("\u0000", "") });
	return until("the run of the rule", 30, async () => {
		const { body } = await ask(root, "GET", "/v1/executions?action=yard.talk&status=succeeded&sort_desc=timestamp");
		return (body as unknown as { readonly id: string }[])[0]?.id;
	});
}

webTest("a delivery shows which rule acted, and of the others the criterion and the value that kept them from it", () =>
	withWeb(async (web) => {
		const root = await withRules(web);
		const id = await deliver(web, root);
		const page = await web.open("root", `/history/${id}`);
		await page.getByRole("link", { name: "Why" }).click();
		const tree = page.getByRole("region", { name: "Causes and effects" });
		await tree.getByRole("listitem").filter({ hasText: "default.large" }).getByText("acted", { exact: true }).first().waitFor();
		await tree.getByText("Delivered to webhook hooks/sample by root").waitFor();
		await tree.getByText("trigger.body.size was 9").waitFor();
		await tree.getByText("but the rule requires: equals").waitFor();
		const other = tree.getByRole("listitem").filter({ has: page.getByRole("link", { name: "default.named" }) });
		assert.match((await other.last().textContent()) ?? "", /trigger\.body\.name is "<img src=x .*the rule requires: equals "a whale"/);
		await tree.getByText("is disabled").waitFor();
		await tree.getByText("testing the rules as they are now").waitFor();
		assert.equal(await tree.getByRole("link", { name: "yard.talk" }).getAttribute("aria-current"), "true");
		assert.notEqual(await page.title(), "taken");
		await assertClean(page);
		const toggle = tree.getByRole("button", { name: /^Effects of rule default\.large/ });
		await toggle.focus();
		await page.keyboard.press("Enter");
		await tree.getByRole("link", { name: "yard.talk" }).waitFor({ state: "detached" });
		await page.keyboard.press("Enter");
		await tree.getByRole("link", { name: "yard.talk" }).waitFor();
		await assertFitsPhone(page);
		await tree.getByRole("link", { name: "default.named" }).click();
		await page.getByText("The rule would not act").waitFor();
		await page.goBack();
		await tree.getByRole("link", { name: "webhook hooks/sample" }).click();
		await page.getByRole("link", { name: "Effects" }).click();
		await page.waitForURL(/#\/why\/[0-9a-f]{24}\?event=/);
		await tree.getByRole("link", { name: "yard.talk" }).waitFor();
	}, yard),
);

webTest("what is started by hand says by whom; a chain of ends grows as it happens", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const made = await web.ask(root, "POST", "/v1/rules", {
			name: "after",
			enabled: true,
			trigger: { type: "core.svc.generic.actiontrigger", parameters: {} },
			criteria: { "trigger.action_ref": { type: "equals", pattern: "yard.talk" } },
			action: { ref: "default.speak", parameters: {} },
		});
		assert.equal(made.status, 201, JSON.stringify(made.body));
		const id = await beginUntil(web, root, "yard.waiting", { status: "running" });
		const page = await web.open("olga", `/why?execution=${id}`);
		const tree = page.getByRole("region", { name: "Causes and effects" });
		await tree.getByText("started by root").waitFor();
		await tree.getByText("task hold").waitFor();
		const [child] = (await web.ask(root, "GET", `/v1/executions?parent=${id}`)).body as unknown as { readonly id: string }[];
		await web.ask(root, "DELETE", `/v1/executions/${child?.id}`);
		await tree.getByText("canceled").first().waitFor();
		await tree.getByRole("link", { name: "default.speak" }).waitFor();
		await tree.getByRole("link", { name: "default.after" }).first().waitFor();
		await assertClean(page);
	}, yard),
);

webTest("whoever may see traces alone sees what led to what, and no more; others are not offered it", () =>
	withWeb(
		async (web) => {
			const root = await withRules(web);
			const id = await deliver(web, root);
			const page = await web.open("ann", `/why?execution=${id}`);
			await page.getByRole("link", { name: "yard.talk" }).waitFor();
			await page.getByText("acted", { exact: true }).waitFor();
			assert.equal(await page.getByText("succeeded").count(), 0);
			assert.equal(await page.getByText("did not act").count(), 0);
			await assertClean(page);
			const other = await web.open("ann", "/why?execution=ffffffffffffffffffffffff");
			await other.getByText("There is no trace of it.").waitFor();
			await assertClean(other);
		},
		{ ...yard, grants: [{ permission_types: ["trace_list"] }] },
	),
);

webTest("a trace of 200 runs is folded, and comes in parts", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const id = await beginUntil(web, root, "yard.many", { status: "succeeded", parameters: { count: 200 } });
		const page = await web.open("root", `/why?execution=${id}`);
		await page.getByRole("button", { name: "150 more" }).waitFor();
		assert.ok((await page.locator("main *").count()) < 1_000);
		await page.getByRole("button", { name: "150 more" }).click();
		await page.getByRole("button", { name: "100 more" }).waitFor();
		await assertClean(page);
	}, yard),
);

webTest("an address without a trace, an execution or an event reads no trace", () =>
	withWeb(async (web) => {
		const page = await web.open("root", "/");
		const reads: string[] = [];
		page.on("request", (request) => request.url().includes("/v1/traces") && reads.push(new URL(request.url()).search));
		await goTo(page, "/why");
		await page.getByText("Open an execution and choose Why").waitFor();
		await goTo(page, "/why?execution=ffffffffffffffffffffffff");
		await page.getByText("There is no trace of it.").waitFor();
		assert.deepEqual(reads, ["?execution=ffffffffffffffffffffffff&limit=1"]);
	}),
);

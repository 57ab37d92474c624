// test-timeout: 300
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { answerPage, defineFeature, defineRoute, defineSchema, pagingQuery, parsePaging, replyRecords } from "../../core/feature.ts";
import { withGuardedService } from "../../core/testing/http/guarded-service.test-support.ts";
import { hostileText } from "../../core/testing/web/chatty.test-support.ts";
import { assertClean, assertFitsPhone, closeBrowser, webTest, withWeb } from "../../core/testing/web/web.test-support.ts";
import { shippedFeatures } from "../_shipped/features.ts";

declare module "../../core/feature.ts" {
	interface PermissionVerbs {
		leaf: "list";
	}
}

test.after(closeBrowser);

const leafSchema = defineSchema("Leaf", { type: "object", properties: { id: { type: "string" } } }, { id: "1" });
const leaves = Array.from({ length: 60 }, (_, index) => ({
	id: String(index),
	name: index === 0 ? hostileText : `leaf ${index}`,
	size: { width: index },
	seen: index === 49 ? "2031-03-04T09:15:02.418273Z" : null,
	fallen: index === 49,
}));

const listLeaves = defineRoute({
	method: "GET",
	path: "/leaves",
	component: "api",
	summary: "List the leaves",
	answers: { 200: answerPage(leafSchema) },
	permission: "leaf_list",
	query: pagingQuery,
	handler: (context) => replyRecords(context, parsePaging(context, 100), leaves, (part) => part),
});

const tree = () =>
	defineFeature({
		name: "tree",
		permissions: { leaf: { verbs: ["list"] } },
		create: () => ({
			api: {},
			routes: [listLeaves],
			pageEntries: [
				{
					title: "Leaves",
					group: "Watch",
					list: listLeaves,
					columns: [
						["name", "Name"],
						["size", "Size"],
						["seen", "Seen"],
						["fallen", "Fallen"],
					],
				},
			],
		}),
	});

const features = [...shippedFeatures(), tree()];

test("a user is told of the entries whose route they may use, and only when asking for permissions", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const entriesOf = async (user: string, query = "?permissions=true") =>
				(await ask(await signIn(user), "GET", `/v1/user${query}`)).body["page_entries"];
			const entry = {
				title: "Leaves",
				group: "Watch",
				path: "/leaves",
				is_paged: true,
				columns: [
					{ member: "name", title: "Name" },
					{ member: "size", title: "Size" },
					{ member: "seen", title: "Seen" },
					{ member: "fallen", title: "Fallen" },
				],
			};
			assert.deepEqual(await entriesOf("root"), [entry]);
			assert.deepEqual(await entriesOf("gardener"), [entry]);
			assert.deepEqual(await entriesOf("nobody"), []);
			assert.equal(await entriesOf("root", ""), undefined);
		},
		{
			features,
			rbac: {
				roles: [{ name: "gardener", permission_grants: [{ permission_types: ["leaf_list"] }] }],
				assignments: [{ username: "gardener", roles: ["gardener"] }],
			},
		},
	));

test("an entry whose route is not a list of the feature stops the start", async () => {
	const other = defineRoute({ ...listLeaves, path: "/leaves/:id" } as typeof listLeaves);
	const broken = defineFeature({
		name: "broken",
		permissions: { leaf: { verbs: ["list"] } },
		create: () => ({ api: {}, routes: [other], pageEntries: [{ title: "Leaf", list: other, columns: [["id", "Id"]] }] }),
	});
	await assert.rejects(
		withGuardedService(async () => {}, { features: [broken] }),
		/page entry "Leaf": list must be a GET route of the feature/,
	);
});

webTest("the page lists the records of an entry, and offers it to those who may see them", () =>
	withWeb(
		async (web) => {
			const page = await web.open("ann", "/");
			await page.getByRole("link", { name: "Leaves" }).click();
			await page.getByRole("heading", { name: "Leaves" }).waitFor();
			await page.getByText("onerror").first().waitFor();
			await page.getByRole("cell", { name: "leaf 49" }).waitFor();
			await page.getByRole("cell", { name: '{"width":49}' }).waitFor();
			assert.equal(await page.title(), "Leaves · svc");
			await page.getByRole("cell", { name: "yes" }).waitFor();
			assert.equal(await page.getByText("2031-03-04T09:15:02.418273Z").count(), 0);
			await page.locator("time").waitFor();
			await page.getByText("1–50 of 60").waitFor();
			await assertClean(page);
			await page.getByRole("button", { name: "Next" }).click();
			await page.getByRole("cell", { name: "leaf 59" }).waitFor();
			await assertFitsPhone(page);
			const other = await web.open("olga", "/features/leaves");
			await other.getByRole("cell", { name: "leaf 49" }).waitFor();
		},
		{ features, grants: [{ permission_types: ["leaf_list"] }] },
	),
);

test.run();

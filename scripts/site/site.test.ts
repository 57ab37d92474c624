import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toDocument } from "../../core/http/openapi/document.ts";
import { routes } from "../../plugins/_shipped/routes.ts";
import { run } from "../run.ts";
import { toApiPage } from "./api-page.ts";
import { toAnchor, toNavigation } from "./navigation.ts";
import { findPages, rewriteLinks, toSitePage } from "./stage-pages.ts";

test("every file of the project has a page of its own", () => {
	for (const [file, page] of [
		["docs/README.md", "index.md"],
		["docs/guides/tls.md", "guides/tls.md"],
		["examples/cluster/README.md", "examples/cluster/index.md"],
		["examples/custom-storage/conditions.ts", "examples/custom-storage/conditions.ts.md"],
		["examples", "examples/index.md"],
		["README.md", "project.md"],
		["CONTRIBUTING.md", "contributing.md"],
		["LICENSE", "LICENSE.md"],
	] as const) {
		assert.equal(toSitePage(file), page);
	}
	const pages = findPages().map(toSitePage);
	assert.equal(new Set(pages).size, pages.length);
});

test("links lead to pages of the site", () => {
	const links = [
		["docs/guides/tls.md", "[a](reverse-proxy.md)", "[a](./reverse-proxy.md)"],
		["docs/guides/tls.md", "[a](../README.md#examples)", "[a](../index.md#examples)"],
		["docs/guides/tls.md", "[a](../../examples/cluster)", "[a](../examples/cluster/index.md)"],
		["docs/README.md", "[a](../CONTRIBUTING.md)", "[a](./contributing.md)"],
		["docs/README.md", "[a](../examples)", "[a](./examples/index.md)"],
		["README.md", "[a](svc.config.ts), [b](docs/concepts.md)", "[a](./svc.config.ts.md), [b](./concepts.md)"],
		["README.md", "![a](docs/pictures/runs.png)", "![a](./pictures/runs.png)"],
		["docs/concepts.md", "[a](#top), [b](https://example.org/a.md), [c](mailto:a@example.org)"],
	] as const;
	for (const [file, text, rewritten = text] of links) assert.deepEqual(rewriteLinks(file, text).text, rewritten);
	const { targets, missing } = rewriteLinks("docs/README.md", "[a](concepts.md) [b](absent.md#x) [c](../../outside.md)");
	assert.deepEqual([targets, missing], [["docs/concepts.md"], ["absent.md#x", "../../outside.md"]]);
});

test("code keeps what looks like a link or a comment, and comments are left out", () => {
	const code =
		"`[a](absent.md)` ``x ` [a](absent.md)``\n\n```md\n[a](absent.md)\n<!-- kept -->\n```\n\n````md\n```\n[a](absent.md)\n```\n````\n";
	assert.deepEqual(rewriteLinks("docs/README.md", code), { text: code, targets: [], missing: [] });
	assert.equal(rewriteLinks("docs/README.md", "# A\n\n<!-- made by\na script -->\ntext\n").text, "# A\n\ntext\n");
});

test("the navigation has the sections of the index page and the pages that they link", () => {
	const index = `# Documentation

New? Read the [quick start](./quick-start.md).

## Automate

| Task | Page |
|---|---|
| Use | [Use packs](./guides/use-packs.md), [again](./guides/use-packs.md#install) |
| See | [elsewhere](https://example.org/page.md), [here](#operate), ![runs](./pictures/runs.png) |

## Nothing to read

## Examples and more

- [cluster](./examples/cluster/index.md), [\`svc create\`](./reference/cli.md#svc-create)
`;
	assert.deepEqual(toNavigation(index), [
		{ text: "Start", items: [{ text: "Quick start", link: "/quick-start" }] },
		{ text: "Automate", anchor: "automate", items: [{ text: "Use packs", link: "/guides/use-packs" }] },
		{
			text: "Examples and more",
			anchor: "examples-and-more",
			items: [
				{ text: "cluster", link: "/examples/cluster/" },
				{ text: "Svc create", link: "/reference/cli" },
			],
		},
	]);
});

test("headings get the anchors that GitHub gives them", () => {
	for (const [heading, anchor] of [
		["Serve the documentation", "serve-the-documentation"],
		["What `svc plan` shows, and how", "what-svc-plan-shows-and-how"],
		["GET /v1/executions/{id}", "get-v1executionsid"],
		["Größe: 1.5", "größe-15"],
	] as const) {
		assert.equal(toAnchor(heading), anchor);
	}
});

test("the page of the API has a heading for each operation and schema, and its links lead to them", () => {
	const document = toDocument(routes, "1.2.3");
	const page = toApiPage(document);
	const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
	for (const [path, methods] of Object.entries(document.paths)) {
		for (const method of Object.keys(methods)) assert.ok(headings.includes(`\`${method.toUpperCase()} ${path}\``), path);
	}
	for (const name of Object.keys(document.components.schemas)) assert.ok(headings.includes(`Schema ${name}`), name);
	const anchors = new Set(headings.map(toAnchor));
	const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = ""]) => anchor);
	assert.ok(links.length > 100);
	for (const anchor of links) assert.ok(anchors.has(anchor), anchor);
	assert.match(page, /The OpenAPI description of svc 1\.2\.3\./);
});

test("the command refuses options that it cannot use", async () => {
	for (const [args, problem] of [
		[["--base", "docs"], /^--base: "docs" must begin and end with a slash, such as \/svc\/docs\/$/m],
		[["--bild"], /Unknown option '--bild'/],
	] as const) {
		const { code, output } = await run(process.execPath, ["--import", "tsx", "scripts/site/main.ts", ...args]);
		assert.equal(code, 1);
		assert.match(output, problem);
	}
});

test.run();

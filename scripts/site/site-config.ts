import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTheme, defineConfig, type MarkdownRenderer, type TransformContext } from "vitepress";
import { type NavigationSection, toAnchor, toNavigation } from "./navigation.ts";
import { apiPage, rewriteLinks } from "./stage-pages.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const sections = toSections();

type SearchRenderer = NonNullable<DefaultTheme.LocalSearchOptions["_render"]>;

/** Configuration of VitePress. The site has the pages that `stagePages` has written. */
export const siteConfig = defineConfig({
	title: "svc",
	titleTemplate: ":title · svc",
	description: "Documentation of svc, a service for event-driven automation.",
	lang: "en",
	// The content security policy of the site allows neither inline scripts nor inline style sheets.
	metaChunk: true,
	appearance: { disableTransition: false },
	transformHtml: (html, _id, context) => moveScripts(html, context),
	vite: { build: { chunkSizeWarningLimit: 4_000 } },
	markdown: {
		// The links of the pages are written for GitHub, so headings get the anchors that GitHub gives them.
		anchor: { slugify: toAnchor },
		attrs: { disable: true },
		// Vue would compile tags in the text as components. Names such as `README.md` are not addresses.
		html: false,
		linkify: false,
		config: disableInterpolation,
	},
	themeConfig: {
		search: { provider: "local", options: { detailedView: true, _render: renderForSearch } },
		nav: [
			...sections.filter(({ anchor }) => anchor !== undefined).map(({ text, anchor }) => ({ text, link: `/#${anchor}` })),
			{
				text: version,
				items: [
					{ text: "Changelog", link: "/changelog" },
					{ text: "Contributing", link: "/contributing" },
					{ text: "Security", link: "/security" },
				],
			},
		],
		sidebar: sections.map(({ text, items }) => ({ text, items: [...items], collapsed: true })),
		outline: [2, 3],
		docFooter: { prev: false, next: false },
	},
});

/** Returns the sections of the index page, with the page of the API description as the first of the section *Reference*. */
function toSections(): NavigationSection[] {
	const index = "docs/README.md";
	const api = { text: "API description (OpenAPI)", link: `/${apiPage}` };
	return toNavigation(rewriteLinks(index, readFileSync(index, "utf8")).text).map((section) =>
		section.text === "Reference" ? { ...section, items: [api, ...section.items] } : section,
	);
}

/** Makes Vue show `{{ … }}` as it is. Vue compiles pages as templates and would evaluate the expression otherwise. */
function disableInterpolation(markdown: MarkdownRenderer): void {
	const { render } = markdown;
	markdown.render = (text, environment) => render.call(markdown, text, environment).replaceAll("{{", "&#123;&#123;");
}

/** Renders a page for the search index, which contains no colors. Without the highlighting of code the build is a fifth shorter. */
function renderForSearch(...[text, environment, markdown]: Parameters<SearchRenderer>): string {
	const { highlight } = markdown.options;
	markdown.options.highlight = null;
	try {
		return markdown.render(text, environment);
	} finally {
		markdown.options.highlight = highlight;
	}
}

/** Moves the inline scripts of a page into files. */
function moveScripts(html: string, { siteConfig, siteData }: TransformContext): string {
	return html.replace(/<script(?: id="[\w-]+")?>(.*?)<\/script>/gs, (_whole, code: string) => {
		const hash = createHash("sha256").update(code).digest("hex").slice(0, 8);
		const file = `${siteConfig.assetsDir}/inline.${hash}.js`;
		writeFileSync(join(siteConfig.outDir, file), code);
		return `<script src="${siteData.base}${file}"></script>`;
	});
}

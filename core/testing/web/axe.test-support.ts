import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** What the checks use of the page, whose types the project does not load. */
interface PageGlobals {
	readonly axe: { run(context: unknown, options: object): Promise<AxeAnswer> };
	readonly document: {
		querySelectorAll(selector: string): Iterable<PageElement>;
		getElementById(id: string): PageElement | null;
	};
	getComputedStyle(element: PageElement): Readonly<Record<string, string>>;
	/** What was read of the page last, with an element of each kind; the kind of the page as a whole has its root. */
	elementsOfKinds: Map<number, PageElement>;
	textsOfKinds: Map<number, PageElement>;
}

interface PageElement {
	readonly tagName: string;
	readonly id: string;
	readonly isConnected: boolean;
	readonly labels?: { readonly length: number };
	readonly parentElement: PageElement | null;
	readonly textContent: string;
	readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
	readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>;
	getAttribute(name: string): string | null;
	matches(selector: string): boolean;
	checkVisibility(): boolean;
}

interface AxeAnswer {
	readonly violations: readonly {
		readonly id: string;
		readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
	}[];
}

/** Kinds of elements and of texts, as hashes. */
interface Kinds {
	readonly elements: readonly number[];
	readonly texts: readonly number[];
	/** Of the order of headings, landmarks and ids. */
	readonly outline: number;
}

/** Rules whose answer depends on the theme. */
const colorRules = ["color-contrast", "link-in-text-block"];

/** Rules about a page as a whole. */
const pageRules = [
	...["bypass", "document-title", "empty-heading", "heading-order", "html-has-lang", "html-lang-valid", "page-has-heading-one", "region"],
	...["landmark-banner-is-top-level", "landmark-complementary-is-top-level", "landmark-contentinfo-is-top-level"],
	...["landmark-main-is-top-level", "landmark-no-duplicate-banner", "landmark-no-duplicate-contentinfo", "landmark-no-duplicate-main"],
	...["landmark-one-main", "landmark-unique", "duplicate-id-aria", "meta-viewport", "skip-link", "tabindex", "accesskeys"],
];

/** Kinds that axe found nothing in, which later pages skip: pages look mostly alike. */
const checked = { elements: new Set<number>(), outlines: new Set<number>(), light: new Set<number>(), dark: new Set<number>() };

let axe: Promise<string> | undefined;

/**
 * Axe finds nothing in the page. Each kind of element, by its chain of elements and attributes, is checked once, and so is the contrast of
 * each kind of text in each theme. What concerns the whole page is checked for each new order of headings, landmarks and ids.
 */
export async function assertAccessible(page: Page): Promise<void> {
	const { elements, outline } = await page.evaluate(readKinds);
	const freshElements = elements.filter((kind) => !checked.elements.has(kind));
	const elementsChecked = await check(page, "elementsOfKinds", freshElements, { rules: { "color-contrast": { enabled: false } } });
	if (!checked.outlines.has(outline)) await check(page, "elementsOfKinds", [outline], { runOnly: pageRules });
	const inLight = await checkContrast(page, "light");
	if (inLight.length > 0) {
		await page.emulateMedia({ colorScheme: "dark" });
		for (const kind of await checkContrast(page, "dark")) checked.dark.add(kind);
		await page.emulateMedia({ colorScheme: "light" });
	}
	for (const kind of inLight) checked.light.add(kind);
	for (const kind of elementsChecked) checked.elements.add(kind);
	checked.outlines.add(outline);
}

/** Loads axe into the document, which most addresses share: a document takes a tenth of a second for it. */
async function loadAxe(page: Page): Promise<void> {
	axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
	if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(await axe);
}

/** Checks the kinds of text that are new. Returns those that were checked. */
async function checkContrast(page: Page, theme: "light" | "dark"): Promise<readonly number[]> {
	const { texts } = await page.evaluate(readKinds);
	const fresh = texts.filter((kind) => !checked[theme].has(kind));
	return check(page, "textsOfKinds", fresh, { runOnly: colorRules }, `${theme}: `);
}

/** Checks an element of each of these kinds. Returns the kinds that were checked. */
async function check(
	page: Page,
	map: "elementsOfKinds" | "textsOfKinds",
	fresh: readonly number[],
	options: object,
	prefix = "",
): Promise<readonly number[]> {
	if (fresh.length === 0) return [];
	await loadAxe(page);
	const { found, kinds } = await page.evaluate(
		async ({ map, fresh, options }) => {
			const { axe, [map]: all } = globalThis as unknown as PageGlobals;
			// An element that has gone since the page was read is left for the next page that has one of its kind.
			const kinds = fresh.filter((kind) => all.get(kind)?.isConnected);
			const elements = kinds.map((kind) => all.get(kind));
			const { violations } = elements.length === 0 ? { violations: [] } : await axe.run(elements, options);
			const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
			return { found, kinds };
		},
		{ map, fresh, options },
	);
	assert.deepEqual(found, [], prefix + found.join("\n"));
	return kinds;
}

/**
 * Reads the kinds of the elements and texts of a page. It runs in the page, on its own: no function in it may have a name, which compilers
 * keep with a helper that the page does not have.
 */
function readKinds(): Kinds {
	const page = globalThis as unknown as PageGlobals;
	const { document } = page;
	const references = [
		"for",
		"aria-labelledby",
		"aria-describedby",
		"aria-controls",
		"aria-owns",
		"aria-activedescendant",
		"list",
		"headers",
	];
	const ids = new Set<string>();
	/** Chains of elements from the root down, with what rules look at, and with what lies behind a text. */
	const chains = new Map<PageElement | null, string>();
	const grounds = new Map<PageElement | null, string>();
	const elements = new Map<string, PageElement>();
	const texts = new Map<string, PageElement>();
	let outline = "";
	for (const element of document.querySelectorAll("html, body, body *")) {
		const style = page.getComputedStyle(element);
		const isVisible = element.checkVisibility();
		let own = `${element.tagName} ${isVisible} ${element.textContent.trim() !== ""} ${(element.labels?.length ?? 0) > 0}`;
		for (const { name, value } of element.attributes) {
			if (["class", "style", "id", "value"].includes(name)) continue;
			const isKnown = references.includes(name) && value.split(" ").every((id) => document.getElementById(id) !== null);
			own += ` ${name}=${references.includes(name) ? isKnown : /^[a-z-]*$/.test(value) ? value : "…"}`;
		}
		chains.set(element, `${chains.get(element.parentElement) ?? ""}/${own}`);
		elements.set(chains.get(element) ?? "", element);
		if (isVisible && element.matches("h1, h2, h3, h4, h5, h6, [role], main, nav, header, footer, aside, section, form, search, dialog")) {
			outline += ` ${element.tagName} ${element.getAttribute("role")} ${element.getAttribute("aria-label")}`;
		}
		if (element.id !== "" && ids.has(element.id)) outline += " id twice";
		ids.add(element.id);
		const looks = [style["backgroundColor"], style["backgroundImage"], style["opacity"]];
		grounds.set(element, [grounds.get(element.parentElement), element.tagName, element.getAttribute("class"), ...looks].join(" "));
		const holdsText =
			element.matches("input, select, textarea") ||
			[...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent?.trim() !== "");
		if (holdsText && isVisible)
			texts.set([grounds.get(element), style["color"], style["fontSize"], style["fontWeight"]].join(" "), element);
	}
	const [elementKinds = [], textKinds = [], [outlineKind = 0] = []] = [[...elements.keys()], [...texts.keys()], [outline]].map((kinds) =>
		kinds.map((kind) => {
			// Two 26-bit halves of a multiplicative hash.
			let [high, low] = [1, 2];
			for (let index = 0; index < kind.length; index += 1) {
				high = Math.imul(high ^ kind.charCodeAt(index), 2654435761);
				low = Math.imul(low ^ kind.charCodeAt(index), 1597334677);
			}
			return (high & 0x3ffffff) * 0x4000000 + (low & 0x3ffffff);
		}),
	);
	page.elementsOfKinds = new Map([...elements.values()].map((element, index) => [elementKinds[index] ?? 0, element]));
	for (const root of document.querySelectorAll("html")) page.elementsOfKinds.set(outlineKind, root);
	page.textsOfKinds = new Map([...texts.values()].map((element, index) => [textKinds[index] ?? 0, element]));
	return { elements: elementKinds, texts: textKinds, outline: outlineKind };
}

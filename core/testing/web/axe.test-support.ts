import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

type Theme = "light" | "dark";

/** What the checks use of the page, whose types the project does not load. */
interface PageGlobals {
	readonly axe: { run(context: unknown, options: object): Promise<AxeAnswer> };
	readonly document: { querySelectorAll(selector: string): Iterable<PageElement> };
	getComputedStyle(element: PageElement): Readonly<Record<string, string>>;
}

interface PageElement {
	readonly tagName: string;
	readonly parentElement: PageElement | null;
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

/** Rules whose answer depends on the theme. */
const colorRules = ["color-contrast", "link-in-text-block"];

/** Styles of text whose contrast was checked, which later pages skip: pages look mostly alike, and contrast is most of what axe computes. */
const checkedStyles: Readonly<Record<Theme, Set<string>>> = { light: new Set(), dark: new Set() };

let axe: Promise<string> | undefined;

/**
 * Axe finds nothing in the page. Each kind of text, by its element, its colors and what lies behind it, is checked for its contrast once
 * in each theme.
 */
export async function assertAccessible(page: Page): Promise<void> {
	// It stays as long as the document, which most addresses share.
	axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
	if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(await axe);
	await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
	const found = await page.evaluate(async () => {
		const { axe, document } = globalThis as unknown as PageGlobals;
		const { violations } = await axe.run(document, { rules: { "color-contrast": { enabled: false } } });
		return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
	});
	assert.deepEqual(found, [], found.join("\n"));
	if (!(await assertContrast(page, "light"))) return;
	await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
	await assertContrast(page, "dark");
}

/** Checks the kinds of text that are new. Returns whether there were some. */
async function assertContrast(page: Page, theme: Theme): Promise<boolean> {
	const known = checkedStyles[theme];
	const { found, kinds } = await page.evaluate(checkContrast, { known: [...known], runOnly: colorRules });
	assert.deepEqual(found, [], `${theme}: ${found.join("\n")}`);
	for (const kind of kinds) known.add(kind);
	return kinds.length > 0;
}

/** Runs in the page, on its own: no function in it may have a name, which compilers keep with a helper that the page does not have. */
async function checkContrast({ known, runOnly }: { readonly known: readonly string[]; readonly runOnly: readonly string[] }) {
	const { axe, document, getComputedStyle } = globalThis as unknown as PageGlobals;
	const before = new Set(known);
	/** What lies behind the text of an element. */
	const grounds = new Map<PageElement | null, string>();
	const fresh = new Map<string, PageElement>();
	for (const element of document.querySelectorAll("html, body, body *")) {
		const style = getComputedStyle(element);
		const looks = [style["backgroundColor"], style["backgroundImage"], style["opacity"]];
		const own = [element.tagName, element.getAttribute("class"), ...looks].join(" ");
		grounds.set(element, `${grounds.get(element.parentElement) ?? ""}/${own}`);
		const holdsText =
			element.matches("input, select, textarea") ||
			[...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent?.trim() !== "");
		const kind = [grounds.get(element), style["color"], style["fontSize"], style["fontWeight"]].join(" ");
		if (holdsText && !before.has(kind) && element.checkVisibility()) fresh.set(kind, element);
	}
	if (fresh.size === 0) return { found: [], kinds: [] };
	const { violations } = await axe.run([...fresh.values()], { runOnly });
	const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
	return { found, kinds: [...fresh.keys()] };
}

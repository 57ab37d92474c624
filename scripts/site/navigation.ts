import { dirname, join } from "node:path/posix";

/** A page in the navigation. */
export interface NavigationPage {
	readonly text: string;
	readonly link: string;
}

/** A section of the navigation. */
export interface NavigationSection {
	readonly text: string;
	/** Anchor of the section on the index page; undefined for the text before the first heading. */
	readonly anchor?: string;
	readonly items: readonly NavigationPage[];
}

/** Name of the section for pages that are linked before the first heading. */
const introduction = "Start";

/**
 * Returns the navigation of the site: the sections of an index page, each with the pages that it links, in the order of the text. A page
 * that a section links twice is listed once.
 *
 * @param text Markdown of the index page, whose links lead to pages of the site
 */
export function toNavigation(text: string): NavigationSection[] {
	const [start = "", ...parts] = text.split(/^## /m);
	const sections = parts.map((part) => {
		const title = part.slice(0, part.indexOf("\n")).trim();
		return { text: title, anchor: toAnchor(title), items: toPages(part) };
	});
	return [{ text: introduction, items: toPages(start) }, ...sections].filter(({ items }) => items.length > 0);
}

/** Returns the anchor that GitHub gives a heading. */
export function toAnchor(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N} _-]/gu, "")
		.replaceAll(" ", "-");
}

function toPages(section: string): NavigationPage[] {
	const pages = new Map<string, string>();
	for (const [, text = "", target = ""] of section.matchAll(/\[([^\]]+)\]\(([^)\s#]+)[^)\s]*\)/g)) {
		if (/^[a-z]+:/.test(target) || !target.endsWith(".md")) continue;
		const link = toPageLink(target);
		if (!pages.has(link)) pages.set(link, toTitle(text));
	}
	return [...pages].map(([link, text]) => ({ link, text }));
}

/** Returns the link of a page in the form that the navigation of VitePress compares with the current page. */
function toPageLink(target: string): string {
	const path = join("/", target);
	return path.endsWith("/index.md") ? join(dirname(path), "/") : path.replace(/\.md$/, "");
}

/** Returns the text of a link as a title: without backticks, and with a capital letter unless it is a name such as `http-request`. */
function toTitle(text: string): string {
	const plain = text.replaceAll("`", "");
	return plain.includes(" ") ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain;
}

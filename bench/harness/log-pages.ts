import type { Page } from "playwright-core";
import type { Service } from "./service.ts";
import { type BrowserPage, openBlank, openWebPage } from "./web-page.ts";

/** What the lines of the log say, with their number in it; and the shell's words for it. */
const before = "line ";
const after = " of a log that somebody has to look through";

/** Let the service run a command that prints so many lines; the id of the execution. */
export async function printLog({ api, stream }: Service, lines: number): Promise<string> {
	const parameters = { cmd: `seq -f '${before}%.0f${after}' 1 ${lines}` };
	const answer = await api.post("/v1/executions", JSON.stringify({ action: "core.local", parameters }));
	const { id } = JSON.parse(answer) as { readonly id: string };
	for await (const _ of await stream.open(`/v1/executions/${id}/output`));
	return id;
}

/** The log of an execution in the web page, as soon as it shows. */
export async function openLog(service: Service, id: string): Promise<BrowserPage> {
	const opened = await openWebPage(service, `/history/${id}/log`);
	await opened.page.locator(".log-line", { hasText: before }).first().waitFor();
	return opened;
}

/** A page that has an element for each line; how long it took until it could be scrolled is for its making alone. */
export async function openPlain(lines: number): Promise<BrowserPage> {
	const opened = await openBlank();
	const { page } = opened;
	page.setDefaultTimeout(600_000);
	await page.setContent("<div id='log' style='height: 640px; overflow: auto; font: 12px/18px monospace; white-space: pre'></div>");
	await page.evaluate(`
		const log = document.getElementById("log");
		for (let line = 1; line <= ${lines}; line += 1) {
			const element = document.createElement("div");
			element.textContent = "${before}" + line + "${after}";
			log.append(element);
		}
		log.scrollTop;
	`);
	return opened;
}

/** Milliseconds until the web page has drawn a line that its address names. */
export function jumpInLog(page: Page, line: number): Promise<number> {
	return page.evaluate<number>(`new Promise((resolve) => {
		const started = performance.now();
		const href = location.hash.split("?")[0] + "?line=" + ${line};
		location.hash = href;
		const look = () => {
			const marked = document.querySelector(".log-line.marked");
			if (marked?.textContent.includes("${before}${line}${after}")) requestAnimationFrame(() => resolve(performance.now() - started));
			else requestAnimationFrame(look);
		};
		look();
	})`);
}

/** Milliseconds until the plain page has drawn it. */
export function jumpInPlain(page: Page, line: number): Promise<number> {
	return page.evaluate<number>(`new Promise((resolve) => {
		const started = performance.now();
		log.children[${line - 1}].scrollIntoView();
		requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - started)));
	})`);
}

/** Milliseconds until the web page leads to the only line with a text, which stands at the end of the output. */
export function searchInLog(page: Page, line: number): Promise<number> {
	return page.evaluate<number>(`new Promise((resolve) => {
		const started = performance.now();
		location.hash = location.hash.split("?")[0] + "?find=" + encodeURIComponent("${before}${line}${after}");
		const look = () => {
			const marked = document.querySelector(".log-line.marked mark");
			if (marked?.textContent.includes("${before}${line}${after}")) resolve(performance.now() - started);
			else requestAnimationFrame(look);
		};
		look();
	})`);
}

import type { Page } from "playwright-core";
import type { Service } from "./service.ts";
import { type BrowserPage, openBlank, openWebPage } from "./web-page.ts";

/** How a page did while it was scrolled. */
export interface ScrollFigures {
	readonly perSecond: number;
	/** Milliseconds between two frames, at most. */
	readonly longest: number;
	/** Frames at whose beginning nothing was drawn in the middle of what is seen. */
	readonly empty: number;
}

const box = "row-window";

/** The time line of an execution, as soon as it shows so many runs. */
export async function openTimeLine(service: Service, id: string, runs: number): Promise<BrowserPage> {
	const opened = await openWebPage(service, `/history/${id}/time`);
	await opened.page.locator(`.${box} li[aria-setsize="${runs}"]`).first().waitFor();
	return opened;
}

/** A page with a row of the same parts for each run. */
export async function openPlainRows(runs: number): Promise<BrowserPage> {
	const opened = await openBlank();
	await opened.page.setContent(
		`<section class="${box}" style="height: 600px; overflow: auto"><ul style="margin: 0">${Array.from(
			{ length: runs },
			(_, index) =>
				`<li style="height: 26px; display: flex; gap: 8px"><a href="#${index}">each ${index + 1}</a><span>succeeded</span><div style="flex: 1; position: relative"><i style="position: absolute; left: ${(100 * index) / runs}%; width: 1%; height: 10px; background: green"></i></div><span>12 ms</span></li>`,
		).join("")}</ul></section>`,
	);
	return opened;
}

/** Scroll from the first row to the last in so many seconds, a step for each frame. */
export function scrollThrough(page: Page, seconds: number): Promise<ScrollFigures> {
	return page.evaluate<ScrollFigures>(`new Promise((resolve) => {
		const box = document.querySelector(".${box}");
		const whole = box.scrollHeight - box.clientHeight;
		const { left, top, height } = box.getBoundingClientRect();
		box.scrollTop = 0;
		const started = performance.now();
		let frames = 0, longest = 0, empty = 0, last = started;
		const step = (time) => {
			frames += 1;
			longest = Math.max(longest, time - last);
			last = time;
			if (document.elementFromPoint(left + 30, top + height / 2)?.closest("li") === null) empty += 1;
			const part = (time - started) / ${seconds * 1_000};
			if (part >= 1) return resolve({ perSecond: (frames * 1_000) / (time - started), longest, empty });
			box.scrollTop = whole * part;
			requestAnimationFrame(step);
		};
		requestAnimationFrame(step);
	})`);
}

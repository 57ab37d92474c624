import type { Browser } from "playwright-core";
import { findCommand } from "../test-requirements.ts";

/** What the tests of the web page need: Debian's browser without what windows need, which is the same engine for half the processor's time. */
export const browserCommand = "chromium-headless-shell";

/** A browser without a window and without a network beyond this machine. One serves all tests of a file. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
	// Loaded late: where there is no browser the tests are skipped, and nothing of it is read.
	const { chromium } = await import("playwright-core");
	return chromium.launch({
		executablePath: process.env["SVC_TEST_CHROMIUM"] ?? findCommand(browserCommand) ?? browserCommand,
		args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run", ...args],
	});
}

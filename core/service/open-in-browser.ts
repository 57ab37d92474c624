import { spawn } from "node:child_process";

/**
 * Show an address to whoever sits there, without waiting. Not by listhen, which runs `xdg-open` from the directory for temporary
 * files when there is one: everybody on the machine may put one there.
 */
export function openInBrowser(address: string, env: Readonly<Record<string, string | undefined>>, print: (line: string) => void): void {
	const child = spawn("xdg-open", [address], { env: { ...env }, stdio: "ignore", detached: true });
	child.once("error", () => print(`There is no xdg-open that could open ${address}`));
	child.unref();
}

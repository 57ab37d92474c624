import { box } from "consola/utils";
import { paintFor, type Screen } from "../cli/screen.ts";
import type { FirstUser } from "../features/access/access-api.ts";
import type { Addresses } from "./service.ts";

/** Where the service is, for people: address by name, none for what it does not run. */
export function toAddressLines({ api, auth, stream, health }: Addresses): readonly (readonly [name: string, address: string])[] {
	const lines: readonly (readonly [string, string | undefined])[] = [
		["API", api && `${api}/v1`],
		["Authentication", auth && `${auth}/auth/v1/tokens`],
		["Stream", stream && `${stream}/v1/stream`],
		["Health", health && `${health}/health/ready`],
	];
	return lines.flatMap(([name, address]) => (address === undefined || address === "" ? [] : [[name, address]]));
}

/** The lines about a user that was made at the start. */
export function toFirstUserLines({ username, password, warning }: FirstUser): readonly string[] {
	return [
		`First start: user "${username}" was made.`,
		password === undefined ? "Its password is the one in SVC_ADMIN_PASSWORD." : `Its password, shown only this once: ${password}`,
		...(warning === undefined ? [] : [`Mind: ${warning}`]),
	];
}

/** The page about the API, which anybody may read; undefined where the API does not listen. */
export function toDocsAddress({ api }: Addresses): string | undefined {
	return api && `${api}/v1/docs`;
}

/** What a terminal shows once the service runs. */
export function toBanner(version: string, addresses: Addresses, screen: Screen): string {
	const docs = toDocsAddress(addresses);
	const named = [...toAddressLines(addresses), ...(docs === undefined ? [] : [["About the API", docs] as const])];
	const lines = named.map(([name, address]) => `${name.padEnd(16)}${address}`);
	return toBox(`svc ${version}`, [...lines, "", "Ctrl-C stops it."], "green", screen);
}

/** What a terminal shows of a user that was made at the start. */
export function toFirstUserBox(user: FirstUser, screen: Screen): string {
	return toBox("First start", toFirstUserLines(user), "yellow", screen);
}

const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[[\\d;]*m`, "g");

/** Lines in a frame; without one where it would not fit. */
function toBox(title: string, lines: readonly string[], colour: "green" | "yellow", screen: Screen): string {
	const paint = paintFor(screen);
	const style = { borderStyle: "rounded", padding: 2, marginLeft: 0, marginTop: 0, marginBottom: 0 };
	// Painted here: consola asks the process for colours, not the screen.
	const framed = box(lines.join("\n"), { title: ` ${title} `, style })
		.replaceAll(colours, "")
		.trimEnd();
	const fits = framed.split("\n").every((line) => line.length <= screen.width);
	const text = fits ? framed : [title, ...lines].join("\n");
	const painted = text.replaceAll(/[╭╮╰╯│─]+/g, (frame) => paint(colour, frame));
	return `${painted.replaceAll(/https?:\/\/\S+/g, (address) => paint("cyan", address))}\n`;
}

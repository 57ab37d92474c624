import type { Resource } from "./benchmark.ts";
import { startChild } from "./child.ts";
import type { Service } from "./service.ts";

/** Clients that follow the general stream and read all that comes, in a process of their own. */
export async function startFollowers({ streamAddress, token }: Service, followers: number, path: string): Promise<Resource> {
	return startChild("follow-stream.mjs", { input: { address: streamAddress, path, token, followers } });
}

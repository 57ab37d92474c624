import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer, connect as openConnection, type Socket } from "node:net";
import { join } from "node:path";

/** What is done when an answer is lost: the connection is cut, or the whole line until `restore`. */
export interface LostAnswer {
	/** End of the path that is asked for. */
	readonly path: string;
	readonly cuts?: boolean;
	/** Whether the request does not arrive before `deliver`. */
	readonly isHeld?: boolean;
}

/** A socket that passes on what comes, until it is cut. */
export class CutLine {
	readonly path: string;
	/** Names of the containers that were ever asked for here, whether they were made or not. */
	readonly asked = new Set<string>();
	readonly #server = createServer();
	readonly #target: string;
	readonly #open = new Set<Socket>();
	#isCut = false;
	#isFrozen = false;
	#lost: LostAnswer[] = [];
	#held: Buffer[] = [];

	private constructor(path: string, target: string) {
		this.path = path;
		this.#target = target;
		this.#server.on("connection", (socket) => this.#pass(socket));
	}

	static async open(path: string, target: string): Promise<CutLine> {
		const line = new CutLine(path, target);
		await mkdir(join(path, ".."), { recursive: true });
		await new Promise<void>((resolve) => line.#server.listen(path, resolve));
		return line;
	}

	cut(): void {
		this.#isCut = true;
		for (const socket of this.#open) socket.destroy();
	}

	restore(): void {
		this.#isCut = false;
		this.#lost = [];
	}

	/** Nothing gets through until `thaw`; what was on its way arrives then, also from whoever has died meanwhile. */
	freeze(): void {
		this.#isFrozen = true;
		for (const socket of this.#open) socket.pause();
	}

	thaw(): void {
		this.#isFrozen = false;
		for (const socket of this.#open) socket.resume();
	}

	/** Whoever asks for one of the paths next gets no answer. */
	loseNextAnswer(answers: readonly LostAnswer[]): void {
		this.#lost = [...answers];
	}

	/** What was held arrives, from whoever does not wait for it any more. Resolves with the lines that its answers begin with. */
	async deliver(): Promise<readonly string[]> {
		const held = this.#held;
		this.#held = [];
		return Promise.all(held.map((request) => this.#send(request)));
	}

	async close(): Promise<void> {
		this.cut();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	#pass(socket: Socket): void {
		if (this.#isCut) return void socket.destroy();
		const target = openConnection(this.#target);
		let lost: LostAnswer | undefined;
		for (const each of [socket, target]) {
			this.#open.add(each);
			each.on("error", () => {});
			each.on("close", () => this.#open.delete(each));
		}
		socket.on("data", (piece) => {
			const [line = ""] = piece.toString("latin1").split("\r\n");
			const [path = "", query] = (line.split(" ")[1] ?? "").split("?");
			if (path.endsWith("/containers/create")) this.asked.add(new URLSearchParams(query).get("name") ?? "");
			const found = this.#lost.find((each) => path.endsWith(each.path));
			if (found !== undefined) this.#lost = this.#lost.filter((each) => each !== found);
			lost ??= found;
			if (found?.isHeld !== true) return void target.write(piece);
			this.#held.push(piece);
			socket.destroy();
		});
		target.on("data", (piece) => {
			if (lost === undefined) return void socket.write(piece);
			if (lost.cuts) this.cut();
			else socket.destroy();
		});
		socket.on("close", () => target.destroy());
		target.on("close", () => socket.end());
		if (this.#isFrozen) for (const each of [socket, target]) each.pause();
	}

	async #send(request: Buffer): Promise<string> {
		const target = openConnection(this.#target).setEncoding("latin1");
		target.write(request);
		const [answer] = (await once(target, "data")) as [string];
		target.destroy();
		return answer.split("\r\n")[0] ?? "";
	}
}

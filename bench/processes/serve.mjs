// What servers of the benchmarks have in common: a port that the system chooses, told in the first line, until the standard input ends.
import { listen } from "listhen";

/** Serve with a handler of Node; `stop` is called once nobody is connected any more. */
export async function serve(handler, stop = () => undefined) {
	const listener = await listen(handler, {
		isProd: true,
		autoClose: false,
		showURL: false,
		hostname: "127.0.0.1",
		port: { random: true, host: "127.0.0.1" },
	});
	process.stdout.write(`${JSON.stringify({ address: `http://127.0.0.1:${listener.address.port}` })}\n`);
	process.stdin.resume().on("end", async () => {
		listener.server.closeAllConnections();
		await listener.close();
		await stop();
	});
}

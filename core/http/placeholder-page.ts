import { toHtmlPageHeaders } from "./html-page-headers.ts";
import { replyContent } from "./replies.ts";

const style =
	"body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}code{font-family:ui-monospace,monospace}";

/** Names other ways to see an execution, because the `web_url` of every execution leads here if the service has no web page. */
const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>svc</title><style>${style}</style></head>
<body>
<h1>svc</h1>
<p>The service is running. Its web interface is disabled or not installed.</p>
<p>An address like <code>/#/history/&lt;id&gt;/general</code> refers to an execution by its id. To view it, use:</p>
<ul>
<li><code>svc execution get &lt;id&gt;</code>, after <code>svc login &lt;user&gt;</code></li>
<li><code>GET /v1/executions/&lt;id&gt;</code>, with a token in <code>X-Auth-Token</code></li>
</ul>
<p><a href="v1/docs">API reference</a></p>
</body>
</html>
`;

/** Reply to a browser if no feature provides a page. It is the same for all callers. */
export const placeholderPage = replyContent(html, "text/html; charset=UTF-8", { ...toHtmlPageHeaders(style), vary: "Accept, Origin" });

/** Returns true if the request comes from a browser that opens a page. Programs that accept any type do not name `text/html`. */
export function wantsHtml({ headers }: Request): boolean {
	return /(^|[\s,])text\/html\b/.test(headers.get("accept") ?? "");
}

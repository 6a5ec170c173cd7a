// All that Python computed for the page, see tttenv.report.data.

const data = JSON.parse(await unpacked(document.getElementById("data").textContent).text());
